#include <gemm/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace gemm {

void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t workers = std::min(cores, count);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::thread> others;
  for (std::int64_t w = 1; w < workers; ++w) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace gemm
