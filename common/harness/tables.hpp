#pragma once
// Text tables for a terminal or a file: aligned columns, no colour, no control characters.

#include <harness/results.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

// To standard output, at once.
void print(const std::string& text);

// A dash where there is no value.
std::string fixed(std::optional<double> value, int decimals);
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
