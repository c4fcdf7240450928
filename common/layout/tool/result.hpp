#pragma once

// A result ready to be printed: a function from indices to integers, with what is known about it.

#include <optional>
#include <string>
#include <vector>

#include "expression.hpp"

namespace layout::tool {

inline constexpr Int kMaxValues = 1 << 20;  // listed in JSON
inline constexpr Int kMaxDrawn = 1 << 14;   // cells of a drawing or of a LaTeX table

// Which bank each cell lies in, and what reading it column by column costs: one thread per row,
// `vector` elements along the row for each.
struct Banks {
  Int element_bits = 0;
  Int vector = 1;
  int threads_per_phase = 0;
  std::vector<std::vector<int>>
      ways;  // [phase][group of `vector` columns]: words wanted from the fullest bank
  BankConflicts all;
};

struct Result {
  std::string text;  // shape:stride, Sw<B,M,S> o shape:stride, or a number or coordinate
  std::optional<Swizzled> layout;  // absent for a number
  std::optional<Swizzle> swizzle;  // on its own, without a layout
  std::optional<IntTuple> tile;    // (thread, value) -> this tile
  Int group = 0;                   // threads, or values, that a drawing gives one colour
  std::vector<std::pair<std::string, Int>> facts;
  std::optional<Banks> banks;

  Int operator()(Int i) const { return (*layout)(i); }
  // The grid of the table: mode 0 down, all other modes to the right; a layout of rank 1 is one
  // row.
  Int rows() const { return layout->rank() == 1 ? 1 : layout->layout.mode(0).size(); }
  Int cols() const { return layout->size() / rows(); }
  Int cell(Int row, Int col) const { return (*this)(row + col * rows()); }
};

// Refuses what is no layout and no number, and a tile that the values do not fit in.
Result make_result(const Value& value);

// Counts banks and conflicts. vector 0: as many elements as are contiguous, up to 16 bytes.
// Refuses layouts that are not of rank 1 or 2.
Banks count_banks(const Result& result, Int element_bits, Int vector);

inline Int bank_of(const Banks& banks, Int offset) {
  return checked_mul(offset, banks.element_bits) / 32 % kBanks;
}

// The outputs of the tool. All end with a newline.
std::string as_text(const Result& result, bool brief);
std::string as_json(const Result& result);
std::string as_latex(const Result& result);
std::string as_svg(const Result& result);

}  // namespace layout::tool
