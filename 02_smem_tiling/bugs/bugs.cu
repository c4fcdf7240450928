// The default's kernels, vectorized and not.
#include "../plan.cuh"

using namespace smem_tiling;

harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if (gemm::load_width(g) == 8) return prepare<core::bf16, Config<8, true>>(g);
  return prepare<core::bf16, Config<1, true>>(g);
}

const harness::Chapter chapter{.name = kName, .variants = {{"plain", "", plan}}};
