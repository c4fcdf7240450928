#include "plan.cuh"

using namespace wgmma_tma;

// 128x256 tiles, two warpgroups, 4 stages; A and B with K contiguous.
using Chosen = Config<128, 256, 4>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  gemm::require_plain(problem, kName);
  return prepare<T, Chosen>(operands<T>(problem));
}
