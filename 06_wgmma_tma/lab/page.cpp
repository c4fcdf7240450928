#include "page.hpp"

#include <cinttypes>
#include <cstdio>

namespace wgmma_lab {

namespace {

using layout::Major;

constexpr int kLine = 128;  // bytes: all banks once

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

char row_letter(Which which) {
  return which == Which::kA ? 'm' : 'n';
}

// The rule behind the layout, with the offsets' names where they stand.
std::string canonical_form(const Form& form) {
  const int width = core::span_bytes(form.swizzle) / 16;
  if (width == 1) {
    return form.major == Major::kK ? "((8,n),2):((1,SBO),LBO)" : "((1,n),(8,2)):((-,SBO),(1,LBO))";
  }
  if (form.major == Major::kK) return format("((8,n),2):((%d,SBO),1)", width);
  return format("((%d,n),(8,2)):((1,LBO),(%d,SBO))", width, width);
}

struct Meaning {
  std::string leading, stride;  // what the offsets lead to
};
Meaning meaning_of(const Form& form, char row) {
  const int width = core::span_bytes(form.swizzle) / 16;
  const std::string rows = format("the next %d along %c", 8 * width, row);
  if (form.major == Major::kK) {
    return {width == 1 ? "the next 8 along k" : "ignored, 1 by custom",
            format("the next 8 along %c", row)};
  }
  if (width == 1) return {"the next 8 along k", rows};
  return {rows, "the next 8 along k"};
}

std::string offset_line(const char* label, layout::Int units, bool used, const std::string& what) {
  const std::string meaning = used || units > 0 ? what : "any: there is no second piece that way";
  return format("  %s  %4d units %5d bytes   %s\n", label, static_cast<int>(units),
                static_cast<int>(units) * 16, meaning.c_str());
}

std::string field_line(int first, int last, const char* label, std::uint64_t bits,
                       const std::string& meaning) {
  const std::uint64_t mask = (std::uint64_t{1} << (last - first + 1)) - 1;
  return format("    bits %2d-%-2d  %-13s %5" PRIu64 "   %s\n", first, last, label,
                bits >> first & mask, meaning.c_str());
}

std::string descriptor_text(core::MatrixDescriptor descriptor) {
  const core::MatrixDescriptorFields fields = core::decode(descriptor);
  const std::uint64_t bits = descriptor.bits;
  const auto times = [](int bytes) { return "x 16 = byte " + std::to_string(bytes); };
  const auto sixteen = [](int bytes) { return "x 16 = " + std::to_string(bytes) + " bytes"; };
  return "  descriptor " + hex(descriptor) + "\n" +
         field_line(0, 13, "start address", bits, times(static_cast<int>(fields.address))) +
         field_line(16, 29, "LBO", bits, sixteen(fields.leading_bytes)) +
         field_line(32, 45, "SBO", bits, sixteen(fields.stride_bytes)) +
         field_line(49, 51, "base offset", bits, "the tile starts where its pattern does") +
         field_line(62, 63, "swizzle", bits, core::to_string(fields.swizzle) + " swizzle");
}

// Lines of 128 bytes, eight units in each, named by their first row and column; a dot where this
// instruction reads nothing.
std::string map_text(const Operand& operand, Which which, int lines) {
  const bool k_major = operand.form.major == Major::kK;
  const char row_name = row_letter(which);
  const int all = (operand.bytes() + kLine - 1) / kLine;
  std::vector<std::string> units(static_cast<std::size_t>(all) * 8, ".");
  for (int row = 0; row < operand.rows; row += k_major ? 1 : 8) {
    for (int col = 0; col < kStepK; col += k_major ? 8 : 1) {
      units[static_cast<std::size_t>(operand.byte(row, col) / 16)] =
          format("%c%d.k%d", row_name, row, col);
    }
  }
  std::string text = format(
      "  shared memory, 128 bytes a line; %c8.k0 is %s\n", row_name,
      k_major ? format("row 8, columns 0 to 7").c_str() : format("rows 8 to 15, column 0").c_str());
  const int shown = lines < all ? lines : all;
  for (int line = 0; line < shown; ++line) {
    text += format("   %5d ", line * kLine);
    std::string cells;
    for (int i = 0; i < 8; ++i) {
      cells += format(" %-8s", units[static_cast<std::size_t>(line * 8 + i)].c_str());
    }
    text += cells.substr(0, cells.find_last_not_of(' ') + 1) + "\n";
  }
  if (shown < all) text += format("     ...  %d lines\n", all);
  return text;
}

}  // namespace

std::string hex(core::MatrixDescriptor descriptor) {
  return format("0x%016" PRIx64, descriptor.bits);
}

std::string units_text(const Operand& operand) {
  const layout::Swizzled units = layout::recast(operand.tile, 16, 128);
  return units.swizzle.b == 0 ? to_string(units.layout) : to_string(units);
}

std::string operand_text(const Operand& operand, Which which, core::MatrixDescriptor descriptor,
                         int map_lines) {
  const Meaning meaning = meaning_of(operand.form, row_letter(which));
  const char rows = which == Which::kA ? 'M' : 'N';
  const auto shape =
      layout::IntTuple{operand.tile.layout.mode(0).size(), operand.tile.layout.mode(1).size()};
  std::string text = format("%c, tile %s: %s\n", which == Which::kA ? 'A' : 'B',
                            to_string(shape).c_str(), name(operand.form, rows).c_str());
  text += "  canonical  " + canonical_form(operand.form) + "   in units of 16 bytes\n";
  text += "  this tile  " + units_text(operand) + "\n";
  text +=
      offset_line("LBO", operand.strides.leading, operand.strides.leading_used, meaning.leading);
  text += offset_line("SBO", operand.strides.stride, operand.strides.stride_used, meaning.stride);
  text += format("  transpose bit %d\n", operand.form.major == Major::kK ? 0 : 1);
  return text + descriptor_text(descriptor) + map_text(operand, which, map_lines);
}

std::string operand_line(const Operand& operand) {
  const auto number = [](layout::Int units, bool used) {
    return used || units > 0 ? std::to_string(units) : std::string("any");
  };
  return format("%s LBO %s SBO %s", units_text(operand).c_str(),
                number(operand.strides.leading, operand.strides.leading_used).c_str(),
                number(operand.strides.stride, operand.strides.stride_used).c_str());
}

std::string instruction_text(const Case& c) {
  return format("m64n%dk16 %s, %s sums", c.n, std::string(gemm::name(c.type)).c_str(),
                c.half_sums ? "fp16" : "fp32");
}

std::string advance_text(const Operand& operand, core::MatrixDescriptor descriptor) {
  std::string text;
  for (int step = 0; step < operand.k / kStepK; ++step) {
    text += format("    k %2d-%-2d  start + %5d bytes   descriptor %s\n", step * kStepK,
                   step * kStepK + kStepK - 1, operand.advance(step),
                   hex(descriptor.plus(operand.advance(step))).c_str());
  }
  return text;
}

std::string offsets_table() {
  std::string text =
      "| form | LBO leads to | SBO leads to | LBO, SBO of 64 x 16 | of 32 x 16 | next 16 along k, "
      "64 x 64 | starts at multiples of | transpose bit |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Major major : {Major::kK, Major::kMn}) {
    for (const core::SwizzleMode swizzle : {core::SwizzleMode::kNone, core::SwizzleMode::k32B,
                                            core::SwizzleMode::k64B, core::SwizzleMode::k128B}) {
      const Form form{major, swizzle};
      Meaning meaning = meaning_of(form, 'm');
      for (std::string* what : {&meaning.leading, &meaning.stride}) {
        const std::size_t at = what->find("along m");
        if (at != std::string::npos) what->replace(at, 7, "rows");
      }
      const auto offsets = [&](int rows) {
        const Operand o = make_operand(form, rows, kStepK);
        const auto bytes = [](layout::Int units, bool used) {
          return used || units > 0 ? std::to_string(units * 16) : std::string("any");
        };
        const bool ignored = major == Major::kK && swizzle != core::SwizzleMode::kNone;
        return (ignored ? "ignored" : bytes(o.strides.leading, o.strides.leading_used)) + ", " +
               bytes(o.strides.stride, o.strides.stride_used);
      };
      const Operand deep = make_operand(form, kRowsA, kMostSteps * kStepK);
      std::string steps;
      for (int step = 1; step < kMostSteps; ++step) {
        steps += (step > 1 ? ", +" : "+") + std::to_string(deep.advance(step));
      }
      const int span = core::span_bytes(swizzle);
      text += "| " + name(form, 'M') + " | " + meaning.leading + " | " + meaning.stride + " | " +
              offsets(kRowsA) + " | " + offsets(32) + " | " + steps + " | " +
              std::to_string(span == 16 ? 16 : 8 * span) + " | " +
              (major == Major::kK ? "0" : "1") + " |\n";
    }
  }
  return text;
}

std::string verdict_text(const Verdict& verdict) {
  return verdict.right ? "ok" : "WRONG: " + verdict.why;
}

}  // namespace wgmma_lab
