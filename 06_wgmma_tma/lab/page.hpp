#pragma once
// What the lab says of operands and results, as text.

#include "case.hpp"

#include <string>

namespace wgmma_lab {

enum class Which { kA, kB };

// An operand in full: canonical form, layout, LBO and SBO, the descriptor's fields, and the first
// `map_lines` lines of 128 bytes of the tile's memory map.
std::string operand_text(const Operand& operand, Which which, core::MatrixDescriptor descriptor,
                         int map_lines);

// "K-major ((8,8),(1,2)):((1,8),(1,64)) LBO 64 SBO 8": the same in a line, in units of 16 bytes.
std::string operand_line(const Operand& operand);

// "m64n32k16 fp16, fp32 sums"
std::string instruction_text(const Case& c);

// "0x0000000800400000"
std::string hex(core::MatrixDescriptor descriptor);

// The tile's layout in units of 16 bytes.
std::string units_text(const Operand& operand);

// The next steps along k: how far the start address moves, and to which unit.
std::string advance_text(const Operand& operand, core::MatrixDescriptor descriptor);

// LBO, SBO and steps along k of every form, a Markdown table: the one in README.md.
std::string offsets_table();

// "ok", or "WRONG: " and why
std::string verdict_text(const Verdict& verdict);

}  // namespace wgmma_lab
