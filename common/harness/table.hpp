#pragma once
// Text tables for a terminal or a file: aligned columns, no colour, no control characters.

#include <optional>
#include <string>
#include <vector>

namespace harness {

class Table {
 public:
  struct Column {
    std::string title;
    bool numeric = true;  // numbers are aligned on the right, words on the left
  };

  explicit Table(std::vector<Column> columns);

  // As many cells as columns; an empty cell stays empty.
  void add(std::vector<std::string> cells);

  // The leading cells, then one text across all remaining columns.
  void add_note(std::vector<std::string> cells, std::string note);

  bool empty() const { return rows_.empty(); }
  std::string text() const;  // title line, rule, rows; every line ends in a newline

 private:
  struct Row {
    std::vector<std::string> cells;
    std::optional<std::string> note;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// About three significant digits without an exponent: 0.512, 47.1, 825.
std::string three_digits(double value);

// A dash where there is no value.
std::string fixed(std::optional<double> value, int decimals);
std::string percent(std::optional<double> fraction);
std::string times(std::optional<double> ratio);
std::string scientific(std::optional<double> value);

}  // namespace harness
