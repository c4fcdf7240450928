#include "plan.cuh"

using namespace cluster_multicast;

// 128x256 tiles, two consumers, 4 stages, clusters of two blocks that share B. Rows of B as they
// come: any N.
using Chosen = Config<128, 256, 4, 2, Rows::kPlain, 2, 1>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  return prepare<T, Chosen>(gemm::typed_operands<T>(problem));
}
