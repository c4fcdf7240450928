#pragma once
// What the CPU backend has counted, for a terminal.

#include <string>
#include <utility>
#include <vector>

namespace harness {

struct Counted {
  std::string label;
  std::vector<std::pair<std::string, double>> counters;  // the same names in all of one table
};

// Counters downward, kernels across, a few to a table: there are more counters than kernels.
// Counters that are zero throughout a table are left out.
std::string counter_table(const std::vector<Counted>& all);

}  // namespace harness
