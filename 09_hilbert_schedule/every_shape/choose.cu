// Which tiling a problem gets.

#include "tiling_choice.hpp"
#include "tuned.hpp"

#include <algorithm>
#include <utility>

namespace every_shape {

TilingChoice::TilingChoice(std::vector<BuiltTiling> tilings) : tilings_(std::move(tilings)) {
  for (const BuiltTiling& built : tilings_) {
    const FittedTiling known = fitted(built.tiling);
    known_.push_back({known.factor, first_sums(built.tiling, known)});
  }
}
std::vector<TilingChoice::Candidate> TilingChoice::candidates(const gemm::Problem& problem,
                                                              double within,
                                                              std::ptrdiff_t most) const {
  const DeviceRates device = present_device();
  std::vector<Candidate> candidates;
  candidates.reserve(tilings_.size());
  double limit = kNever;
  for (std::size_t i = 0; i < tilings_.size(); ++i) {
    const double factor = known_[i].factor;
    const double time = factor * microseconds(tilings_[i].tiling, problem, device, limit / factor);
    if (time >= limit) continue;
    candidates.push_back({time, i});
    limit = std::min(limit, within * time);
  }
  std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.time >= limit; });
  if (std::ssize(candidates) > most) {
    std::ranges::nth_element(candidates, candidates.begin() + most, {}, &Candidate::time);
    candidates.resize(static_cast<std::size_t>(most));
  }
  const FirstSums of_problem = first_sums(problem, device);
  const FirstSums of_transposed = first_sums(transposed(problem), device);
  for (Candidate& candidate : candidates) {
    const Tiling& tiling = tilings_[candidate.tiling].tiling;
    candidate.time *= correction(known_[candidate.tiling].first_sums,
                                 tiling.transposed ? of_transposed : of_problem,
                                 inputs(estimate(tiling, problem, device)));
  }
  return candidates;
}
const BuiltTiling& TilingChoice::fastest(const gemm::Problem& problem) const {
  if (problem.m == 0 || problem.n == 0) return tilings_.front();
  return tilings_[std::ranges::min(candidates(problem), {}, &Candidate::time).tiling];
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

}  // namespace every_shape
