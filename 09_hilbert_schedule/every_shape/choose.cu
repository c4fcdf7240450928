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
  std::vector<std::pair<double, std::size_t>> times;
  times.reserve(tilings_.size());
  for (std::size_t i = 0; i < tilings_.size(); ++i) {
    times.emplace_back(factors_[i] * microseconds(tilings_[i].tiling, problem, device), i);
  }
  const std::size_t candidates = std::min<std::size_t>(10, times.size());
  std::nth_element(times.begin(), times.begin() + candidates, times.end());
  times.resize(candidates);
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
