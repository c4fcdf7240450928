#include "plan.cuh"

using namespace smem_tiling;

// Given: float high == unused.

// Loads of 8 elements, padded shared memory.
using Chosen = Config<8, true>;

// Of the sizes, and of what these mean for leading dimensions and addresses.
constexpr const char* kNeeds = "K in multiples of 8";
template <class T>
bool fits(const gemm::Operands<T>& g) {
  return gemm::load_width(g) == 8;
}
