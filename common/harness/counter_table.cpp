#include <harness/counter_table.hpp>

#include <harness/table.hpp>

#include <algorithm>

namespace harness {
namespace {

constexpr std::size_t kColumnsPerTable = 5;

// 4.25 as it is, 8388608 without decimals.
std::string count_text(double value) {
  const bool whole = value == static_cast<double>(static_cast<long long>(value));
  return fixed(value, whole ? 0 : 2);
}

}  // namespace

std::string counter_table(const std::vector<Counted>& all) {
  std::string text;
  for (std::size_t first = 0; first < all.size(); first += kColumnsPerTable) {
    const std::size_t last = std::min(all.size(), first + kColumnsPerTable);
    std::vector<Table::Column> columns = {{"counter", false}};
    for (std::size_t i = first; i < last; ++i) columns.push_back({all[i].label});
    Table table(columns);
    for (std::size_t row = 0; row < all[first].counters.size(); ++row) {
      std::vector<std::string> cells = {all[first].counters[row].first};
      bool seen = false;
      for (std::size_t i = first; i < last; ++i) {
        const double value = all[i].counters.at(row).second;
        seen |= value != 0;
        cells.push_back(count_text(value));
      }
      if (seen) table.add(std::move(cells));
    }
    text += table.text() + "\n";
  }
  return text;
}

}  // namespace harness
