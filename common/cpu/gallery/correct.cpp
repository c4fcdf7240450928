// The kernels without a bug on the CPU backend, and the time of a launch.

#include "gallery.cu"

#include <chrono>

namespace gallery {

std::vector<double> time_hopper(int size, int launches) {
  const HopperProblem<Bug::kNone, 1, core::bf16> problem({size, size, size});
  problem.launch();
  std::vector<double> out;
  for (int i = 0; i < launches; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    problem.launch();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    out.push_back(taken.count());
  }
  return out;
}

}  // namespace gallery
