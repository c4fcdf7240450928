#include "plan.cuh"

using namespace wgmma_tma;

// 128x256 tiles, two warpgroups, 4 stages. Rows of B as they come: any N.
using Chosen = Config<128, 256, 4, 1, Rows::kPlain>;

template <class T>
auto make_plan(const gemm::Problem& problem) {
  return prepare<T, Chosen>(gemm::typed_operands<T>(problem));
}
