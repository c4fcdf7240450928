#include "plan.cuh"

using namespace swizzle_pipeline;

// 128x256 tiles, 8 warps of 64x64, 3 stages, copies of 8 elements.
using Chosen = Config<LargeTiles, 3, 8>;

template <class T>
auto make_plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<T>(problem);
  if (gemm::load_width(g) < Chosen::kVector) {
    throw core::Refused(std::string(kName) +
                        ": K, lda, ldb or an address does not suit its copies");
  }
  return prepare<T, Chosen>(g);
}
