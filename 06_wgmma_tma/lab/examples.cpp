#include "show.hpp"

#include <core/error.hpp>

#include <algorithm>
#include <utility>

namespace wgmma_lab {

namespace {

using enum core::SwizzleMode;
using layout::Major;

constexpr Form kKMajor{Major::kK, kNone};

// A and B of one form, for every form.
std::vector<Example> of_every_form(Way way) {
  std::vector<Example> out;
  for (const Major major : {Major::kK, Major::kMn}) {
    for (const core::SwizzleMode swizzle : {kNone, k32B, k64B, k128B}) {
      const Form form{major, swizzle};
      const std::string rows = major == Major::kK ? "K-major" : "M- and N-major";
      const std::string whole = name(form);
      out.push_back({"A and B " + rows + whole.substr(whole.find(',')),
                     {.a = form, .b = form, .k = kMostSteps * kStepK, .way = way}});
    }
  }
  return out;
}

}  // namespace

std::vector<Example> worked_examples() {
  const auto title = [](const Case& c) {
    return (c.a_in_registers ? std::string("A from registers") : "A " + name(c.a, 'M')) + "; B " +
           name(c.b, 'N');
  };
  std::vector<Example> out;
  const auto add = [&](const Case& c) { out.push_back({title(c), c}); };
  add({.a = kKMajor, .b = kKMajor});
  add({.a = {Major::kMn, k64B}, .b = {Major::kMn, kNone}});
  add({.a = {Major::kMn, k128B}, .b = {Major::kK, k32B}});
  add({.a_in_registers = true, .b = {Major::kMn, k64B}});
  return out;
}

std::vector<Example> deep_examples() {
  return of_every_form(Way::kStored);
}

std::vector<Example> tma_examples() {
  return of_every_form(Way::kTma);
}

std::vector<Example> other_examples() {
  const Form swizzled{Major::kK, k128B};
  return {
      {"sums in fp16, two to a register", {.a = kKMajor, .b = kKMajor, .half_sums = true}},
      {"sums in fp16, four steps along k",
       {.a = swizzled, .b = swizzled, .k = 64, .half_sums = true}},
      {"-A B^T", {.a = swizzled, .b = kKMajor, .sign_a = -1}},
      {"A (-B)^T", {.a = swizzled, .b = kKMajor, .sign_b = -1}},
      {"(-A) (-B)^T", {.a = swizzled, .b = kKMajor, .sign_a = -1, .sign_b = -1}},
      {"registers of A rewritten between wgmmas, a fence each time",
       {.a_in_registers = true, .b = {Major::kMn, k64B}, .k = 64, .way = Way::kRewritten}},
  };
}

std::vector<Mistake> mistakes() {
  const Case plain{.a = kKMajor, .b = kKMajor};
  const Case m_major{.a = {Major::kMn, k64B}, .b = kKMajor};
  const Form swizzled{Major::kK, k128B};
  const Case stored{.a = swizzled, .b = swizzled};
  const Case by_tma{.a = swizzled, .b = swizzled, .k = 64, .way = Way::kTma};
  const Change swapped = [](Arguments& job) { std::swap(job.a.leading, job.a.stride); };
  const Change other_swizzle = [](Arguments& job) { job.a.swizzle = k64B; };
  const Change inside_pattern = [](Arguments& job) {
    job.a.start += 512;
    job.b.start += 1024;
    job.smem_bytes += 1024;
  };
  const Change not_announced = [](Arguments& job) { job.announced_bytes = 0; };
  return {
      {"swapped",
       "LBO and SBO of A change places; K-major, no swizzle",
       plain,
       swapped,
       {"outside of the block's shared memory (LBO 128, SBO 1024)"}},
      {"swapped_swizzled",
       "the same of a tile brought by TMA; K-major, 128-byte swizzle",
       by_tma,
       swapped,
       {"operand A finds two of its 16-byte units at shared offset 16 (LBO 1024, SBO 16"}},
      {"swapped_inside",
       "the same where every unit is found, but not its own; M-major, 64-byte swizzle",
       m_major,
       swapped,
       {"rows 32 to 39, column 0: at byte 512 of the tile, the descriptor leads to byte 1024"}},
      {"swizzle_mode",
       "A's descriptor says 64-byte swizzle, its tensor map 128-byte",
       by_tma,
       other_swizzle,
       {"operand A is described with 64-byte swizzle, but TMA wrote this tile with 128-byte"}},
      {"swizzle_mode_stored",
       "the same of a tile that the threads have written",
       stored,
       other_swizzle,
       {"row 1, columns 0 to 7: at byte 144 of the tile, the descriptor leads to byte 64"}},
      {"start",
       "A starts 512 bytes into the pattern of its 128-byte swizzle",
       stored,
       inside_pattern,
       {"starts at shared offset 512, inside the pattern of its 128-byte swizzle: tiles start at "
        "multiples of 1024"}},
      {"expect",
       "arrive, but no expect_tx: the mbarrier does not know of the bytes that TMA brings",
       by_tma,
       not_announced,
       {"bytes are more than the mbarrier at shared offset",
        "fills, and nobody has waited for the mbarrier at shared offset"}},
  };
}

bool is_expected(const Mistake& mistake, const std::string& consequence) {
  return std::any_of(mistake.said.begin(), mistake.said.end(), [&](const std::string& words) {
    return consequence.find(words) != std::string::npos;
  });
}

std::string consequence(const Mistake& mistake) {
  try {
    return run(mistake.c, Data::kIntegers, mistake.change).why;
  } catch (const core::DeviceError& error) {
    return error.what();
  }
}

}  // namespace wgmma_lab
