// The lab's examples and mistakes, and its demonstrations: what `--variant lab`, `lab_mistakes` and
// `lab_offsets` print.

#include "lab.hpp"

#include <core/error.hpp>
#include <harness/chapter.hpp>
#include <harness/job.hpp>
#include <harness/results.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace wgmma_lab {

namespace {

using layout::Major;

constexpr Form kPlain{Major::kK, kNone}, kSwizzled{Major::kK, k128B}, kAcross{Major::kMn, k64B};

// The rule behind the layout, with the offsets' names where they stand.
std::string canonical_form(const Form& form) {
  const int width = form.span() / 16;
  if (form.swizzle == kNone) {
    return form.k_major() ? "((8,n),2):((1,SBO),LBO)" : "((1,n),(8,2)):((-,SBO),(1,LBO))";
  }
  return form.k_major() ? layout::join("((8,n),2):((", width, ",SBO),1)")
                        : layout::join("((", width, ",n),(8,2)):((1,LBO),(", width, ",SBO))");
}

// What LBO and SBO lead to, and how far. `rows`: "along m", "rows".
struct Offsets {
  std::string to_leading, to_stride;
  int leading, stride;  // in units of 16 bytes, -1: any
};
Offsets offsets_of(const Operand& operand, const std::string& rows) {
  const Form& form = operand.form;
  const layout::WgmmaStrides& s = operand.strides;
  const auto units = [](layout::Int value, bool used) {
    return used || value > 0 ? static_cast<int>(value) : -1;
  };
  Offsets out{layout::join("the next ", form.span() / 2, " ", rows), "the next 8 along k",
              units(s.leading, s.leading_used), units(s.stride, s.stride_used)};
  if (form.k_major()) out.to_leading = "ignored, 1 by custom";
  if (form.swizzle == kNone) out.to_leading = "the next 8 along k";
  if (form.k_major() || form.swizzle == kNone) out.to_stride = "the next 8 " + rows;
  return out;
}

// The tile's layout in units of 16 bytes.
std::string units_text(const Operand& operand) {
  const layout::Swizzled units = layout::recast(operand.tile, 16, 128);
  return units.swizzle.b == 0 ? to_string(units.layout) : to_string(units);
}

void print_descriptor(const core::MatrixDescriptorFields& fields) {
  const core::MatrixDescriptor descriptor = core::encode(fields);
  const auto field = [&](int first, int last, const char* label, const std::string& meaning) {
    const std::uint64_t mask = (std::uint64_t{1} << (last - first + 1)) - 1;
    std::printf("    bits %2d-%-2d  %-13s %5" PRIu64 "   %s\n", first, last, label,
                descriptor.bits >> first & mask, meaning.c_str());
  };
  const auto bytes = [](int value) { return layout::join("x 16 = ", value, " bytes"); };
  std::printf("  descriptor 0x%016" PRIx64 "\n", descriptor.bits);
  field(0, 13, "start address", "x 16 = byte " + std::to_string(fields.address));
  field(16, 29, "LBO", bytes(fields.leading_bytes));
  field(32, 45, "SBO", bytes(fields.stride_bytes));
  field(49, 51, "base offset", "the tile starts where its pattern does");
  field(62, 63, "swizzle", core::to_string(fields.swizzle) + " swizzle");
}

// The first eight lines of 128 bytes, eight units in each, named by their first row and column; a
// dot where this instruction reads nothing.
void print_map(const Operand& operand, char row_name) {
  const bool k_major = operand.form.k_major();
  const int lines = (operand.bytes() + 127) / 128, shown = std::min(lines, 8);
  std::vector<std::string> units(static_cast<std::size_t>(lines) * 8, ".");
  for (int row = 0; row < operand.rows; row += k_major ? 1 : 8) {
    for (int col = 0; col < kStepK; col += k_major ? 8 : 1) {
      units[operand.byte(row, col) / 16] = layout::join(std::string(1, row_name), row, ".k", col);
    }
  }
  std::printf("  shared memory, 128 bytes a line; %c8.k0 is %s\n", row_name,
              k_major ? "row 8, columns 0 to 7" : "rows 8 to 15, column 0");
  for (int line = 0; line < shown; ++line) {
    std::printf("   %5d ", line * 128);
    for (int i = line * 8; i < line * 8 + 8; ++i) std::printf(" %-8s", units[i].c_str());
    std::printf("\n");
  }
  if (shown < lines) std::printf("     ...  %d lines\n", lines);
  std::printf("\n");
}

// An operand in full. `rows`: 'M' of A, 'N' of B.
void print_operand(const Operand& operand, char rows) {
  const char row_name = rows == 'M' ? 'm' : 'n';
  const layout::Layout& tile = operand.tile.layout;
  std::printf("%c, tile %s: %s\n", rows == 'M' ? 'A' : 'B',
              to_string(layout::IntTuple{tile.mode(0).size(), tile.mode(1).size()}).c_str(),
              operand.form.name(rows).c_str());
  std::printf("  canonical  %s   in units of 16 bytes\n", canonical_form(operand.form).c_str());
  std::printf("  this tile  %s\n", units_text(operand).c_str());
  const Offsets offsets = offsets_of(operand, std::string("along ") + row_name);
  const auto line = [](const char* label, int units, const std::string& meaning) {
    std::printf("  %s  %4d units %5d bytes   %s\n", label, std::max(units, 0),
                std::max(units, 0) * 16,
                units < 0 ? "any: there is no second piece that way" : meaning.c_str());
  };
  line("LBO", offsets.leading, offsets.to_leading);
  line("SBO", offsets.stride, offsets.to_stride);
  std::printf("  transpose bit %d\n", operand.form.k_major() ? 0 : 1);
  print_descriptor(operand.descriptor());
  print_map(operand, row_name);
}

std::string or_any(int value) {
  return value < 0 ? "any" : std::to_string(value);
}

// B's layout and steps along k.
void print_steps(const Operand& operand) {
  const Offsets offsets = offsets_of(operand, "");
  std::printf("    B %s LBO %s SBO %s\n", units_text(operand).c_str(),
              or_any(offsets.leading).c_str(), or_any(offsets.stride).c_str());
  for (int step = 0; step < operand.k / kStepK; ++step) {
    std::printf("    k %2d-%-2d  start + %5d bytes   descriptor 0x%016" PRIx64 "\n", step * kStepK,
                step * kStepK + kStepK - 1, operand.advance(step),
                core::encode(operand.descriptor()).plus(operand.advance(step)).bits);
  }
}

int show_lab() {
  constexpr const char* kSections[] = {
      "Worked examples: one wgmma each", "Along K: four wgmmas on a tile of 64 columns",
      "Tiles brought by TMA: the boxes decide the order of the atoms",
      "fp16 accumulators, negated operands, registers of A rewritten"};
  int right = 0, all = 0, section = -1;
  for (const Example& example : examples()) {
    if (example.section != section) {
      const std::string heading = kSections[section = example.section];
      std::printf("\n%s\n%s\n\n", heading.c_str(), std::string(heading.size(), '=').c_str());
    }
    const std::string why = run(example.c), said = why.empty() ? "ok" : "WRONG: " + why;
    ++all;
    right += why.empty() ? 1 : 0;
    if (section == 3) {
      std::printf("%-58s %s\n", example.title.c_str(), said.c_str());
    } else if (section > 0) {
      std::printf("%s: %s\n", example.title.c_str(), said.c_str());
      print_steps(example.c.b());
    } else {
      std::printf("--- %s: m64n32k16 fp16, fp32 accumulators\n\n", example.title.c_str());
      if (example.c.a_in_registers) {
        std::printf("A, 64 x 16, in registers: %s, (thread, value) -> m + 64 k\n\n",
                    to_string(layout::wgmma_m64k16(8).a).c_str());
      } else {
        print_operand(example.c.a(), 'M');
      }
      print_operand(example.c.b(), 'N');
      std::printf("D = A B^T, 64 x 32: %s\n\n", said.c_str());
    }
  }
  std::printf("\n%d of %d products are right, on integers exactly\n", right, all);
  return right == all ? core::kRight : core::kWrongResult;
}

int show_mistakes() {
  if (harness::kOnGpu) {
    throw core::Refused(
        "--variant lab_mistakes: the CPU backend names them, a GPU would compute nonsense or hang; "
        "add --backend cpu");
  }
  int status = core::kRight;
  for (const Mistake& mistake : mistakes()) {
    const std::string said = consequence(mistake);
    std::printf("%s: %s\n    %s\n", mistake.name.c_str(), mistake.planted.c_str(),
                said.empty() ? "not noticed" : said.substr(0, said.find('\n')).c_str());
    if (said.empty()) status = core::kWrongResult;
  }
  return status;
}

int show_offsets() {
  std::fputs(offsets_table().c_str(), stdout);
  return core::kRight;
}

int show_accumulators() {
  const std::string table = accumulators_table();
  std::printf("%s\n%s, commit %s.\n", table.c_str(), harness::backend::device().name.c_str(),
              harness::commit());
  return core::kRight;
}

using harness::Demonstration, harness::Registration;
const Registration lab(Demonstration{"lab", "lab",
                                     "one wgmma in every form, explained by README.md", show_lab});
const Registration lab_mistakes(Demonstration{
    "lab", "lab_mistakes", "wrong descriptors, and what names them", show_mistakes});
const Registration lab_offsets(Demonstration{
    "lab", "lab_offsets", "LBO and SBO of every form, as a table", show_offsets});
const Registration lab_accumulators(Demonstration{
    "lab", "lab_accumulators", "how many bits of a sum wgmma keeps, by type", show_accumulators});

}  // namespace

std::vector<Example> examples() {
  std::vector<Example> out;
  for (const Case& c : {Case{.form_a = kPlain, .form_b = kPlain},
                        Case{.form_a = kAcross, .form_b = {Major::kMn, kNone}},
                        Case{.form_a = {Major::kMn, k128B}, .form_b = {Major::kK, k32B}},
                        Case{.a_in_registers = true, .form_b = kAcross}}) {
    const std::string a = c.a_in_registers ? "from registers" : c.form_a.name('M');
    out.push_back({0, "A " + a + "; B " + c.form_b.name('N'), c});
  }
  for (const int section : {1, 2}) {
    for (int i = 0; i < 8; ++i) {
      const Form form{i < 4 ? Major::kK : Major::kMn, static_cast<core::SwizzleMode>(i % 4)};
      out.push_back({section,
                     (i < 4 ? "A and B " : "A and B M- and ") + form.name('N'),
                     {.form_a = form, .form_b = form, .k = 64, .tma = section == 2}});
    }
  }
  const auto other = [&](const char* title, const Case& c) { out.push_back({3, title, c}); };
  other("fp16 accumulators, two to a register",
        {.form_a = kPlain, .form_b = kPlain, .fp16_accumulators = true});
  other("fp16 accumulators, four steps along k",
        {.form_a = kSwizzled, .form_b = kSwizzled, .k = 64, .fp16_accumulators = true});
  other("-A B^T", {.form_a = kSwizzled, .form_b = kPlain, .sign_a = -1});
  other("A (-B)^T", {.form_a = kSwizzled, .form_b = kPlain, .sign_b = -1});
  other("(-A) (-B)^T", {.form_a = kSwizzled, .form_b = kPlain, .sign_a = -1, .sign_b = -1});
  other("registers of A rewritten between wgmmas, a fence each time",
        {.a_in_registers = true, .form_b = kAcross, .k = 64});
  return out;
}

std::vector<Mistake> mistakes() {
  const Case stored{.form_a = kSwizzled, .form_b = kSwizzled};
  const Case by_tma{.form_a = kSwizzled, .form_b = kSwizzled, .k = 64, .tma = true};
  const auto swap = [](Arguments& job) {
    std::swap(job.a.descriptor.leading_bytes, job.a.descriptor.stride_bytes);
  };
  const auto other_swizzle = [](Arguments& job) { job.a.descriptor.swizzle = k64B; };
  const auto inside_pattern = [](Arguments& job) {
    job.a.descriptor.address += 512;
    job.b.descriptor.address += 1024;
    job.smem_bytes += 1024;
  };
  return {
      {"swapped",
       "LBO and SBO of A change places; K-major, no swizzle",
       {.form_a = kPlain, .form_b = kPlain},
       swap},
      {"swapped_swizzled", "the same of a tile brought by TMA; K-major, 128-byte swizzle", by_tma,
       swap},
      {"swapped_inside",
       "the same where every unit is found, but not its own; M-major, 64-byte swizzle",
       {.form_a = kAcross, .form_b = kPlain},
       swap},
      {"swizzle_mode", "A's descriptor says 64-byte swizzle, its tensor map 128-byte", by_tma,
       other_swizzle},
      {"swizzle_mode_stored", "the same of a tile that the threads have written", stored,
       other_swizzle},
      {"start", "A starts 512 bytes into the pattern of its 128-byte swizzle", stored,
       inside_pattern},
      {"expect",
       "arrive, but no expect_tx: the mbarrier does not know of the bytes that TMA brings", by_tma,
       [](Arguments& job) { job.announced_bytes = 0; }},
  };
}

std::string consequence(const Mistake& mistake) {
  try {
    return run(mistake.c, mistake.change);
  } catch (const core::DeviceError& error) {
    return error.what();
  }
}

std::string offsets_table() {
  std::string text =
      "| form | LBO leads to | SBO leads to | LBO, SBO of 64 x 16 | of 32 x 16 | next 16 along k, "
      "64 x 64 | starts at multiples of | transpose bit |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Example& example : examples()) {
    if (example.section != 1) continue;
    const Operand operand = example.c.a();
    const Form& form = operand.form;
    const Case one{.form_a = form, .form_b = form};
    const auto bytes = [](int units) { return or_any(units < 0 ? units : units * 16); };
    const auto both = [&](const Operand& operand) {
      const Offsets offsets = offsets_of(operand, "");
      const bool ignored = form.k_major() && form.swizzle != kNone;
      return (ignored ? "ignored" : bytes(offsets.leading)) + ", " + bytes(offsets.stride);
    };
    std::string steps;
    for (int step = 1; step < kMostSteps; ++step) {
      steps += (step > 1 ? ", +" : "+") + std::to_string(operand.advance(step));
    }
    const Offsets offsets = offsets_of(operand, "rows");
    for (const std::string& cell :
         {form.name('M'), offsets.to_leading, offsets.to_stride, both(one.a()), both(one.b()),
          steps, std::to_string(form.swizzle == kNone ? 16 : 8 * form.span())}) {
      text += "| " + cell + " ";
    }
    text += form.k_major() ? "| 0 |\n" : "| 1 |\n";
  }
  return text;
}

}  // namespace wgmma_lab
