#include "kernel.cuh"

using namespace mma_ldmatrix;

// 128x256 tiles, 8 warps of 64x64, loads of 8 elements, B with K contiguous.
using Chosen = Config<LargeTiles, 8, Major::kK, Fetch::kLdmatrix>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  const auto g = gemm::plain_operands<T>(problem, kName);
  if (load_width<Major::kK>(g) < 8) {
    throw core::Refused(std::string(kName) + ": K, lda, ldb or an address does not suit its loads");
  }
  return prepare<T, Chosen>(g);
}
