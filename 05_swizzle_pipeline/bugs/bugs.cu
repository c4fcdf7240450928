// Small tiles, vectorized and not.
#include "../plan.cuh"

using namespace swizzle_pipeline;

harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if (gemm::load_width(g) == 8) return prepare<core::bf16, Config<SmallTiles, 4, 8>>(g);
  return prepare<core::bf16, Config<NarrowTiles, 4, 1>>(g);
}

const harness::Chapter chapter{
    .name = kName, .ceiling = harness::Ceiling::kMmaSync, .variants = {{"plain", "", plan}}};
