#pragma once
// What one block did, as a Chrome trace: JSON that https://ui.perfetto.dev and chrome://tracing
// open, and plots/timeline.py. A nanosecond there is a cycle of the SM, on the CPU backend a turn
// of a thread.

#include <gemm/problem.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace harness {

struct Trace {
  using StagePhase = std::pair<std::uint64_t, std::uint64_t>;  // a stage of a ring, and its phase
  struct Span {
    std::size_t track;
    std::string name;
    std::uint64_t begin, end = 0;
    std::set<StagePhase> loads = {}, reads = {};
  };
  std::vector<std::string> threads;  // a track each, from top to bottom; then come the stages
  std::vector<Span> spans;           // of threads; those of one track lie behind one another

  // Adds a flow from each span that loads to those that read, and the tracks of the stages: a stage
  // fills from the first load on, and counts as full while it is read.
  std::string json(const std::string& kernel, const gemm::Problem& problem) const;
};

}  // namespace harness
