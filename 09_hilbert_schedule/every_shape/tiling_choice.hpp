#pragma once
// Some tilings, and which of them should take least time.

#include "correction.hpp"
#include "tilings.hpp"

#include <cstddef>
#include <vector>

namespace every_shape {

// Of the kCandidates that are the fastest by the model of choose.hpp, and take less than
// kCandidatesWithin times as long as the fastest of all, the one that is the fastest with the
// correction.
inline constexpr std::ptrdiff_t kCandidates = 20;
inline constexpr double kCandidatesWithin = 1.13;
class TilingChoice {
 public:
  explicit TilingChoice(std::vector<BuiltTiling> tilings);
  const BuiltTiling& fastest(const gemm::Problem& problem) const;

 private:
  std::vector<BuiltTiling> tilings_;
  struct Known {
    double factor;
    FirstSums first_sums;
  };
  std::vector<Known> known_;  // of each tiling
};

}  // namespace every_shape
