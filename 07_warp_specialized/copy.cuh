#include "plan.cuh"

using namespace warp_specialized;

// 128x256 tiles, two consumers, 4 stages.
using Chosen = Config<Tiles<128, 256, 64, 4, 2>>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  const auto g = operands<T>(problem);
  if (!can_deal(problem)) {
    throw core::Refused(std::string(kName) + ": N must be a multiple of 32, rows of C aligned");
  }
  return prepare<T, Chosen>(g);
}
