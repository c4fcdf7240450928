#include "plan.cuh"

using namespace smem_tiling;

// Loads of 8 elements, padded shared memory.
using Chosen = Config<8, true>;

template <class T>
auto make_plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<T>(problem);
  if (gemm::load_width(g) < Chosen::kVector) {
    throw core::Refused(std::string(kName) + ": K, lda, ldb or an address does not suit its loads");
  }
  return prepare<T, Chosen>(g);
}
