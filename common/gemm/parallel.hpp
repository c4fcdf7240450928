#pragma once
// Host loops spread over the machine's cores.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace gemm {

// Calls body(i) once for every i in [0, count), on as many threads as the machine has cores, in no
// particular order. Returns when all are done. The body must not throw.
template <class Body>
void parallel_for(std::int64_t count, const Body& body) {
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::jthread> others;
  const std::int64_t cores = std::thread::hardware_concurrency();
  for (std::int64_t t = 1; t < std::min(cores, count); ++t) others.emplace_back(work);
  work();
}

}  // namespace gemm
