// What planted bugs are built with: a small tile with all pairs of majors, and one without a
// swizzle.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace wgmma_tma;

using Tile = Config<128, 64, 3>;

harness::Plan by_majors(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    if (problem.a_major == Major::kK && problem.b_major == Major::kK) return prepare<T, Tile>(g);
    if (problem.a_major == Major::kK) {
      return prepare<T, Tile::WithMajors<Major::kK, Major::kMn>>(g);
    }
    if (problem.b_major == Major::kK) {
      return prepare<T, Tile::WithMajors<Major::kMn, Major::kK>>(g);
    }
    throw core::Refused(std::string(kName) + ": not among the kernels for planted bugs");
  });
}

harness::Plan plain(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    gemm::require_plain(problem, kName);
    return prepare<T, Config<64, 64, 1, 1, SwizzleMode::kNone>>(operands<T>(problem));
  });
}

const harness::Registration registration({
    .name = kName,
    .variants = {{"swizzled", "", by_majors}, {"plain", "", plain}},
});

}  // namespace
