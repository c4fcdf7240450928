// Small tiles, vectorized and not; the lesson's kernel where K is contiguous in B.
#include "../kernel.cuh"

using namespace mma_ldmatrix;

template <FragmentLoad kLoad>
harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if (problem.b_major == gemm::Major::kK) {
    return mma_ldmatrix::prepare<core::bf16, mma_ldmatrix::Config<NarrowTiles, 1>>(g);
  }
  if (n_major::load_width(g) == 8) {
    return n_major::prepare<core::bf16, n_major::Config<SmallTiles, 8, kLoad>>(g);
  }
  return n_major::prepare<core::bf16, n_major::Config<NarrowTiles, 1, kLoad>>(g);
}

const harness::Chapter chapter{.name = n_major::kName,
                               .ceiling = harness::Ceiling::kMmaSync,
                               .variants = {{"ldmatrix", "", plan<FragmentLoad::kLdmatrix>},
                                            {"lds", "", plan<FragmentLoad::kLds>}},
                               .layouts = {"tt", "tn"}};
