#include "plan.cuh"

using namespace cluster_multicast;

// 128x256 tiles, two consumers, 4 stages; clusters of two blocks that share B.
using Chosen = Config<Tiles<128, 256, 4, 2>, Ways<2, 1>>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  const auto g = operands<T>(problem);
  if (!can_deal(problem)) {
    throw core::Refused(std::string(kName) + ": N must be a multiple of 32, rows of C aligned");
  }
  return prepare<T, Chosen>(g);
}
