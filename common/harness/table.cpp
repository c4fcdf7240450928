#include <harness/table.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace harness {
namespace {

constexpr const char* kNothing = "-";

std::string formatted(const char* format, int decimals, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, decimals, value);
  return text;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::nullopt});
}

void Table::add_note(std::vector<std::string> cells, std::string note) {
  if (cells.size() > columns_.size()) cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::move(note)});
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.title.size());
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], row.cells[i].size());
    }
  }
  std::string out;
  const auto append_cell = [&](std::size_t i, const std::string& cell) {
    const std::string padding(widths[i] - cell.size(), ' ');
    if (i > 0) out += "  ";
    out += columns_[i].numeric ? padding + cell : cell + padding;
  };
  const auto end_line = [&] {
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) append_cell(i, columns_[i].title);
  end_line();
  for (std::size_t i = 0; i < columns_.size(); ++i) append_cell(i, std::string(widths[i], '-'));
  end_line();
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) append_cell(i, row.cells[i]);
    if (row.note) out += (row.cells.empty() ? "" : "  ") + *row.note;
    end_line();
  }
  return out;
}

std::string three_digits(double value) {
  const double size = std::abs(value);
  return formatted("%.*f", size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
}

std::string fixed(std::optional<double> value, int decimals) {
  return value ? formatted("%.*f", decimals, *value) : kNothing;
}

std::string percent(std::optional<double> fraction) {
  if (!fraction) return kNothing;
  const double value = 100 * *fraction;
  return formatted("%.*f", value < 0.95 ? 2 : 1, value) + "%";
}

std::string times(std::optional<double> ratio) {
  if (!ratio) return kNothing;
  return formatted("%.*f", *ratio < 9.995 ? 2 : 1, *ratio) + "x";
}

std::string scientific(std::optional<double> value) {
  return value ? formatted("%.*e", 1, *value) : kNothing;
}

}  // namespace harness
