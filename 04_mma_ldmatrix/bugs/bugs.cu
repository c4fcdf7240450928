// Small tiles, vectorized and not.
#include "../plan.cuh"

using namespace mma_ldmatrix;

template <FragmentLoad kLoad>
harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if (gemm::load_width(g) == 8) return prepare<core::bf16, Config<SmallTiles, 8, kLoad>>(g);
  return prepare<core::bf16, Config<NarrowTiles, 1, kLoad>>(g);
}

const harness::Chapter chapter{.name = kName,
                               .ceiling = harness::Ceiling::kMmaSync,
                               .variants = {{"ldmatrix", "", plan<FragmentLoad::kLdmatrix>},
                                            {"lds", "", plan<FragmentLoad::kLds>}}};
