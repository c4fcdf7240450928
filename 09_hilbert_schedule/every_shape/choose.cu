// Which tiling a problem gets.

#include "choose.hpp"
#include "tilings.hpp"
#include "tuned.hpp"

namespace every_shape {

TilingChoice::TilingChoice(std::vector<Tiling> tilings) : tilings_(std::move(tilings)) {
  for (const Tiling& tiling : tilings_) factors_.push_back(factor_of(tiling));
}
std::size_t TilingChoice::fastest(const gemm::Problem& problem) const {
  const DeviceRates device = present_device();
  std::size_t best = 0;
  double least = kNever;
  for (std::size_t i = 0; i < tilings_.size(); ++i) {
    const double time = factors_[i] * microseconds(tilings_[i], problem, device);
    if (time < least) best = i, least = time;
  }
  return best;
}

const BuiltTiling& choose(const gemm::Problem& problem, std::span<const Tuned> tuned) {
  for (const Tuned& known : tuned) {
    if (problem.m != known.m || problem.n != known.n || problem.k != known.k) continue;
    for (const BuiltTiling& built : tilings()) {
      if (built.tiling.name() == known.tiling) return built;
    }
  }
  static const TilingChoice choice = [] {
    std::vector<Tiling> out;
    for (const BuiltTiling& built : tilings()) out.push_back(built.tiling);
    return TilingChoice(std::move(out));
  }();
  return tilings()[choice.fastest(problem)];
}
const BuiltTiling& choose(const gemm::Problem& problem) {
  return choose(problem, kTuned);
}

}  // namespace every_shape
