#include "result.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace layout::tool {
constexpr Int kTableRows = 64;
constexpr Int kTableCols = 64;

// Numbers right-aligned in columns; "..." where the table is cut.
template <class Cell>
static std::string table(Int rows, Int cols, Cell cell) {
  const Int shown_rows = std::min(rows, kTableRows);
  const Int shown_cols = std::min(cols, kTableCols);
  std::size_t width = 0;
  for (Int row = 0; row < shown_rows; ++row) {
    for (Int col = 0; col < shown_cols; ++col)
      width = std::max(width, std::to_string(cell(row, col)).size());
  }
  std::string text;
  for (Int row = 0; row < shown_rows; ++row) {
    for (Int col = 0; col < shown_cols; ++col) {
      const std::string number = std::to_string(cell(row, col));
      text += std::string(width - number.size() + (col == 0 ? 2 : 1), ' ') + number;
    }
    text += cols > shown_cols ? " ...\n" : "\n";
  }
  if (rows > shown_rows) text += "  ...\n";
  return text;
}

// The bits of an offset, the highest first.
static std::string bits_text(const Swizzle& swizzle) {
  const auto [b, m, s] = swizzle;
  std::string numbers = "  bit", letters = "     ";
  for (int bit = b + m + s - 1; bit >= 0; --bit) {
    const char* letter = bit >= m + s ? "  y" : bit >= m + b ? "  ." : bit >= m ? "  z" : "  m";
    numbers += (bit < 10 ? "  " : " ") + std::to_string(bit);
    letters += letter;
  }
  return numbers + "\n" + letters + "\n  z becomes z xor y\n";
}

static std::string banks_text(const Result& result, bool brief) {
  const Banks& banks = *result.banks;
  const std::string sum = join(banks.all.phases, " phases, ", banks.all.wavefronts,
                               " wavefronts, worst ", banks.all.worst, "-way\n");
  if (brief) return sum;
  const Int rows = result.rows();
  const auto bank = [&](Int row, Int col) { return bank_of(banks, result.cell(row, col)); };
  const auto ways = [&](Int phase, Int group) { return banks.ways[phase][group]; };
  return join(
      "banks, ", banks.element_bits, "-bit elements:\n", table(rows, result.cols(), bank),
      "conflicts (ways), one thread per row, vectors of ", banks.vector, ", ",
      banks.threads_per_phase, " threads per phase:\n",
      table(static_cast<Int>(banks.ways.size()), static_cast<Int>(banks.ways[0].size()), ways),
      sum);
}

static void refuse_beyond(Int size, Int limit, const char* what) {
  if (size > limit) refuse(size, " values are too many to ", what, ", the limit is ", limit);
}

Result make_result(const Value& value) {
  if (std::holds_alternative<Tile>(value.data))
    refuse("a tile is no layout: divide or compose something by it");
  Result result;
  const auto* tuple = std::get_if<IntTuple>(&value.data);
  if (const auto* swizzle = std::get_if<Swizzle>(&value.data)) {
    result.text = to_string(*swizzle);
    result.swizzle = *swizzle;
  } else if (tuple != nullptr && value.is_number) {
    result.text = to_string(*tuple);
  } else if (const auto* swizzled = std::get_if<Swizzled>(&value.data)) {
    result.layout = *swizzled;
    result.text = to_string(*swizzled);
  } else {
    const Layout plain = tuple != nullptr ? left(*tuple) : std::get<Layout>(value.data);
    result.layout = Swizzled(Swizzle(), plain);
    result.text = to_string(plain);
  }
  result.tile = value.tile;
  result.facts = value.facts;
  return result;
}

Banks count_banks(const Result& result, Int element_bits, Int vector) {
  if (result.layout->rank() > 2)
    refuse("--banks: a layout of rank 1 or 2 is needed, this one has rank ", result.layout->rank());
  refuse_beyond(result.layout->size(), kMaxValues, "check for bank conflicts");
  // One thread per element of a rank-1 layout, one per row otherwise.
  const bool line = result.layout->rank() == 1;
  const Int threads = line ? result.cols() : result.rows();
  const Int cols = line ? 1 : result.cols();
  const auto offset = [&](Int thread, Int col) {
    return line ? result(thread) : result.cell(thread, col);
  };

  const auto contiguous = [&](Int length) {
    if (cols % length != 0) return false;
    for (Int thread = 0; thread < threads; ++thread) {
      for (Int col = 0; col < cols; ++col) {
        const Int first = offset(thread, col - col % length);
        if (first % length != 0 || offset(thread, col) != first + col % length) return false;
      }
    }
    return true;
  };
  Banks banks;
  banks.element_bits = element_bits;
  banks.vector = vector;
  if (element_bits < 8 || element_bits > 128 || !is_power_of_two(element_bits)) {
    refuse("--banks: elements of 8, 16, 32, 64 or 128 bits, not ", element_bits);
  }
  if (vector == 0) {
    banks.vector = 128 / element_bits;
    while (!contiguous(banks.vector)) banks.vector /= 2;
  } else if (vector < 1 || vector > 128 / element_bits || !is_power_of_two(vector)) {
    refuse("--vector: ", vector, " elements of ", element_bits,
           " bits do not make an access of 1 to 16 bytes");
  } else if (!contiguous(vector)) {
    refuse("--vector: groups of ", vector, " along a row of ", result.text,
           " are not contiguous and aligned");
  }

  banks.threads_per_phase =
      static_cast<int>(std::min<Int>(32, 1024 / (element_bits * banks.vector)));
  for (Int first = 0; first < threads; first += banks.threads_per_phase) {
    const Int count = std::min<Int>(banks.threads_per_phase, threads - first);
    std::vector<int> ways;
    for (Int col = 0; col < cols; col += banks.vector) {
      const BankConflicts conflicts =
          bank_conflicts([&](int thread) { return offset(first + thread, col); },
                         static_cast<int>(count), element_bits, banks.vector);
      ways.push_back(conflicts.worst);
      banks.all.phases += conflicts.phases;
      banks.all.wavefronts += conflicts.wavefronts;
      banks.all.worst = std::max(banks.all.worst, conflicts.worst);
    }
    banks.ways.push_back(ways);
  }
  return banks;
}

std::string as_text(const Result& result, bool brief) {
  std::string text = result.text + "\n";
  if (result.layout && !brief) {
    text += table(result.rows(), result.cols(),
                  [&](Int row, Int col) { return result.cell(row, col); });
  }
  if (result.swizzle && !brief) text += bits_text(*result.swizzle);
  if (result.tile) text += "tile " + to_string(*result.tile) + "\n";
  for (const auto& [name, value] : result.facts) text += name + " " + std::to_string(value) + "\n";
  if (result.banks) text += banks_text(result, brief);
  return text;
}

std::string as_json(const Result& result) {
  nlohmann::ordered_json json;
  if (!result.layout) {
    json["value"] = result.text;
    return json.dump() + "\n";
  }
  refuse_beyond(result.layout->size(), kMaxValues, "list");
  std::vector<Int> values(static_cast<std::size_t>(result.layout->size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = result(static_cast<Int>(i));
  json["layout"] = result.text;
  json["size"] = result.layout->size();
  json["cosize"] = *std::max_element(values.begin(), values.end()) + 1;
  json["values"] = values;
  if (result.tile) {
    for (int i = 0; i < result.tile->rank(); ++i) json["tile"].push_back((*result.tile)[i].value());
  }
  for (const auto& [name, value] : result.facts) json[name] = value;
  if (result.banks) {
    const Banks& banks = *result.banks;
    json["banks"] = {{"element_bits", banks.element_bits},
                     {"vector", banks.vector},
                     {"threads_per_phase", banks.threads_per_phase},
                     {"phases", banks.all.phases},
                     {"wavefronts", banks.all.wavefronts},
                     {"worst", banks.all.worst},
                     {"ways", banks.ways}};
    for (Int value : values) json["banks"]["of"].push_back(bank_of(banks, value));
  }
  return json.dump() + "\n";
}

std::string as_latex(const Result& result) {
  if (!result.layout) return "$" + result.text + "$\n";
  refuse_beyond(result.layout->size(), kMaxDrawn, "write as a LaTeX table");
  const Int cols = result.cols();
  std::string text = "% " + result.text + "\n\\begin{tabular}{" +
                     std::string(static_cast<std::size_t>(cols), 'r') + "}\n";
  for (Int row = 0; row < result.rows(); ++row) {
    for (Int col = 0; col < cols; ++col)
      text += (col == 0 ? "" : " & ") + std::to_string(result.cell(row, col));
    text += " \\\\\n";
  }
  return text + "\\end{tabular}\n";
}

}  // namespace layout::tool
