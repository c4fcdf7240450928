// Which tiling a problem gets.

#include "choose.hpp"
#include "tilings.hpp"
#include "tuned.hpp"

namespace every_shape {

TilingChoice::TilingChoice(std::vector<BuiltTiling> tilings) : tilings_(std::move(tilings)) {
  for (const BuiltTiling& built : tilings_) factors_.push_back(factor_of(built.tiling));
}
const BuiltTiling& TilingChoice::fastest(const gemm::Problem& problem) const {
  const DeviceRates device = present_device();
  std::size_t best = 0;
  double least = kNever;
  for (std::size_t i = 0; i < tilings_.size(); ++i) {
    const double time = factors_[i] * microseconds(tilings_[i].tiling, problem, device);
    if (time < least) best = i, least = time;
  }
  return tilings_[best];
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
