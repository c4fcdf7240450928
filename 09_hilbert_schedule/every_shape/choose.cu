// Which tiling a problem gets.

#include "correction.hpp"
#include "tilings.hpp"
#include "tuned.hpp"

#include <algorithm>
#include <utility>

namespace every_shape {

TilingChoice::TilingChoice(std::vector<BuiltTiling> tilings) : tilings_(std::move(tilings)) {
  for (const BuiltTiling& built : tilings_) factors_.push_back(factor_of(built.tiling));
}
const BuiltTiling& TilingChoice::fastest(const gemm::Problem& problem) const {
  if (problem.m == 0 || problem.n == 0) return tilings_.front();
  const DeviceRates device = present_device();
  std::vector<std::pair<double, std::size_t>> times;  // a heap: the slowest is the first
  for (std::size_t i = 0; i < tilings_.size(); ++i) {
    const bool full = std::ssize(times) == kCandidates;
    const double limit = full ? times.front().first : kNever, factor = factors_[i];
    const double time = factor * microseconds(tilings_[i].tiling, problem, device, limit / factor);
    if (time >= limit) continue;
    if (full) {
      std::ranges::pop_heap(times);
      times.pop_back();
    }
    times.emplace_back(time, i);
    std::ranges::push_heap(times);
  }
  for (auto& [time, i] : times) time *= correction(tilings_[i].tiling, problem, device);
  return tilings_[std::ranges::min(times).second];
}

const BuiltTiling& choose(const gemm::Problem& problem, std::span<const Tuned> tuned) {
  for (const Tuned& known : tuned) {
    if (problem.m != known.m || problem.n != known.n || problem.k != known.k) continue;
    for (const BuiltTiling& built : tilings()) {
      if (built.tiling.name() == known.tiling) return built;
    }
  }
  static const TilingChoice choice(tilings());
  return choice.fastest(problem);
}
const BuiltTiling& choose(const gemm::Problem& problem) {
  return choose(problem, kTuned);
}
AnyPlan prepare_linear(const gemm::Problem& problem, const LaunchPolicy& policy) {
  static const TilingChoice choice(linear_tilings());
  return choice.fastest(problem).prepare(problem, policy);
}

}  // namespace every_shape
