#include "kernel.cuh"

using namespace warptiling;

// 128x256 tiles, 8 warps of 64x64, loads of 8 elements.
using Chosen = Config<LargeTiles, 8>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  const auto g = gemm::plain_operands<T>(problem, kName);
  if (load_width(g) < Chosen::kVector) {
    throw core::Refused(std::string(kName) + ": K, lda, ldb or an address does not suit its loads");
  }
  return prepare<T, Chosen>(g);
}
