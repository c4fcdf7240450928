#include "plan.cuh"

using namespace naive;

// One of the chapter's mappings of threads to C: Strided or Coalesced.
using Chosen = Coalesced;

template <class T>
auto make_plan(const gemm::Problem& problem) {
  return prepare<T, Chosen>(gemm::typed_operands<T>(problem));
}
