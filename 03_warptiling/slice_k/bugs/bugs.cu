// The shared tile's kernels, vectorized and not.
#include "../kernel.cuh"

using namespace slice_k;

harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if (gemm::load_width(g) == 8) return slice_k::prepare<core::bf16, Config<SharedTile, 8>>(g);
  return slice_k::prepare<core::bf16, Config<SharedTile, 1>>(g);
}

const harness::Chapter chapter{.name = kName, .variants = {{"plain", "", plan}}};
