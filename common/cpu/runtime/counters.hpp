#pragma once
// What kernels have done since the last reset. Definitions stand in common/cpu/README.md.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace runtime {

// Was this program built to see every load and store of its kernels?
bool tracing();

void reset_counters();

// Names and values in a fixed order. Without tracing, only what the scheduler counts by itself.
std::vector<std::pair<std::string, double>> read_counters();

// Internal: called once per gang.
void add_barriers(std::uint64_t count);

// What a traced build adds up, per memory space and direction.
struct AccessTotals {
  std::uint64_t requests = 0;  // warp-wide instructions with at least one active lane
  std::uint64_t units = 0;     // global: 32-byte sectors; shared: wavefronts
  std::uint64_t bytes = 0;     // asked for by the lanes
};
struct Totals {
  AccessTotals global_load, global_store, shared_load, shared_store;
};
void add_totals(const Totals& totals);

}  // namespace runtime
