#include "show.hpp"

#include <core/error.hpp>

#include <utility>

namespace wgmma_lab {

namespace {

using layout::Major;

constexpr Form kPlain{Major::kK, kNone}, kSwizzled{Major::kK, k128B}, kAcross{Major::kMn, k64B};

}  // namespace

std::vector<Example> worked_examples() {
  std::vector<Example> out;
  for (const Case& c :
       {Case{.a = kPlain, .b = kPlain}, Case{.a = kAcross, .b = {Major::kMn, kNone}},
        Case{.a = {Major::kMn, k128B}, .b = {Major::kK, k32B}},
        Case{.a_in_registers = true, .b = kAcross}}) {
    out.push_back(
        {(c.a_in_registers ? "A from registers" : "A " + name(c.a, 'M')) + "; B " + name(c.b, 'N'),
         c});
  }
  return out;
}

std::vector<Example> every_form(bool tma) {
  std::vector<Example> out;
  for (const Major major : {Major::kK, Major::kMn}) {
    for (const core::SwizzleMode swizzle : {kNone, k32B, k64B, k128B}) {
      const Form form{major, swizzle};
      out.push_back({std::string("A and B ") + (form.k_major() ? "" : "M- and ") + name(form, 'N'),
                     {.a = form, .b = form, .k = kMostSteps * kStepK, .tma = tma}});
    }
  }
  return out;
}

std::vector<Example> other_examples() {
  return {
      {"fp16 accumulators, two to a register",
       {.a = kPlain, .b = kPlain, .fp16_accumulators = true}},
      {"fp16 accumulators, four steps along k",
       {.a = kSwizzled, .b = kSwizzled, .k = 64, .fp16_accumulators = true}},
      {"-A B^T", {.a = kSwizzled, .b = kPlain, .sign_a = -1}},
      {"A (-B)^T", {.a = kSwizzled, .b = kPlain, .sign_b = -1}},
      {"(-A) (-B)^T", {.a = kSwizzled, .b = kPlain, .sign_a = -1, .sign_b = -1}},
      {"registers of A rewritten between wgmmas, a fence each time",
       {.a_in_registers = true, .b = kAcross, .k = 64}},
  };
}

std::vector<Mistake> mistakes() {
  const Case stored{.a = kSwizzled, .b = kSwizzled};
  const Case by_tma{.a = kSwizzled, .b = kSwizzled, .k = 64, .tma = true};
  const auto swap = [](Arguments& job) { std::swap(job.a.leading, job.a.stride); };
  const auto other_swizzle = [](Arguments& job) { job.a.swizzle = k64B; };
  const auto inside_pattern = [](Arguments& job) {
    job.a.start += 512;
    job.b.start += 1024;
    job.smem_bytes += 1024;
  };
  const auto announce_nothing = [](Arguments& job) { job.announced_bytes = 0; };
  return {
      {"swapped",
       "LBO and SBO of A change places; K-major, no swizzle",
       {.a = kPlain, .b = kPlain},
       swap,
       "outside of the block's shared memory (LBO 128, SBO 1024)"},
      {"swapped_swizzled", "the same of a tile brought by TMA; K-major, 128-byte swizzle", by_tma,
       swap, "operand A finds two of its 16-byte units at shared offset 16 (LBO 1024, SBO 16"},
      {"swapped_inside",
       "the same where every unit is found, but not its own; M-major, 64-byte swizzle",
       {.a = kAcross, .b = kPlain},
       swap,
       "rows 32 to 39, column 0: at byte 512 of the tile, the descriptor leads to byte 1024"},
      {"swizzle_mode", "A's descriptor says 64-byte swizzle, its tensor map 128-byte", by_tma,
       other_swizzle,
       "operand A is described with 64-byte swizzle, but TMA wrote this tile with 128-byte"},
      {"swizzle_mode_stored", "the same of a tile that the threads have written", stored,
       other_swizzle,
       "row 1, columns 0 to 7: at byte 144 of the tile, the descriptor leads to byte 64"},
      {"start", "A starts 512 bytes into the pattern of its 128-byte swizzle", stored,
       inside_pattern,
       "starts at shared offset 512, inside the pattern of its 128-byte swizzle: tiles start at "
       "multiples of 1024"},
      {"expect",
       "arrive, but no expect_tx: the mbarrier does not know of the bytes that TMA brings", by_tma,
       announce_nothing, "the mbarrier at shared offset"},
  };
}

std::string consequence(const Mistake& mistake) {
  try {
    return run(mistake.c, mistake.change).why;
  } catch (const core::DeviceError& error) {
    return error.what();
  }
}

}  // namespace wgmma_lab
