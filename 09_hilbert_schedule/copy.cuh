#include "plan.cuh"

using namespace hilbert_schedule;

// 128x256 tiles, two consumers, 4 stages, stored by TMA while the next is multiplied.
using Chosen = Config<128, 256, 4, 2, Rows::kPlain, Store::kDeferred>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  if (!can_store_by_tma(problem)) {
    throw core::Refused(std::string(kName) + ": N must be a multiple of 8, rows of C aligned");
  }
  return prepare<T, Chosen>(gemm::typed_operands<T>(problem));
}
