#include "plan.cuh"

using namespace warp_specialized;

// 128x256 tiles, two consumers, 4 stages. Rows of B as they come: any N.
using Chosen = Config<128, 256, 4, 2, Rows::kPlain>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  return prepare<T, Chosen>(gemm::typed_operands<T>(problem));
}
