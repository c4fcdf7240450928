#pragma once
// Some tilings, and which of them should take least time.

#include "correction.hpp"
#include "tilings.hpp"

#include <cstddef>
#include <vector>

namespace every_shape {

// Candidates are the kCandidates that are the fastest by the model of choose.hpp, and take less
// than kCandidatesWithin times as long as the fastest of all. The one that is the fastest with the
// correction is taken.
inline constexpr std::ptrdiff_t kCandidates = 32;
inline constexpr double kCandidatesWithin = 1.4;
class TilingChoice {
 public:
  explicit TilingChoice(std::vector<BuiltTiling> tilings);
  const BuiltTiling& fastest(const gemm::Problem& problem) const;

  // Each candidate, and microseconds with the correction, but for a factor that all have in common.
  struct Candidate {
    double time;
    std::size_t tiling;
  };
  std::vector<Candidate> candidates(const gemm::Problem& problem, double within = kCandidatesWithin,
                                    std::ptrdiff_t most = kCandidates) const;
  const std::vector<BuiltTiling>& tilings() const { return tilings_; }

 private:
  std::vector<BuiltTiling> tilings_;
  struct Known {
    double factor;
    FirstSums first_sums;
  };
  std::vector<Known> known_;  // of each tiling
};

// Of operands that are not both contiguous along K (majors_*.cu; cpu_only.cu).
template <class T, core::Major kMajorA, core::Major kMajorB>
const TilingChoice& choice_of_majors();

}  // namespace every_shape
