#pragma once
// Measured rows as a reader wants to see them.

#include <harness/results.hpp>

#include <string>
#include <vector>

namespace harness {

// What ran where and how: the lines above the tables.
std::string heading(const Results& results);

// One table for the rows of one shape. "x before" compares a chapter's default with the default of
// the chapter directly before it in `results.chapters`.
std::string speed_table(const Results& results, const std::vector<Row>& rows);

// The measured ceilings, in one line.
std::string ceilings_line(const Ceilings& ceilings);

}  // namespace harness
