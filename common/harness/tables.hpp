#pragma once
// Text tables for a terminal or a file: aligned columns, no colour, no control characters.

#include <harness/results.hpp>

#include <optional>
#include <string>
#include <utility>
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

// What the CPU backend has counted.
struct Counted {
  std::string label;
  std::vector<std::pair<std::string, double>> counters;  // the same names in all of one table
};

// Counters downward, kernels across, a few to a table: there are more counters than kernels.
// Counters that are zero throughout a table are left out.
std::string counter_table(const std::vector<Counted>& all);

// What ran where and how: the lines above the tables.
std::string heading(const Results& results);

// One table for the rows of one shape. "x before" compares a chapter's default with the default of
// the chapter directly before it in `results.chapters`.
std::string speed_table(const Results& results, const std::vector<Row>& rows);

// The measured ceilings, in one line.
std::string ceilings_line(const Ceilings& ceilings);

}  // namespace harness
