#include "plan.cuh"

using namespace swizzle_pipeline;

// Given: float high == unused, std::string to_string(const == unused.

// 128x256 tiles, 8 warps of 64x64, 3 stages, copies of 8 elements.
using Chosen = Config<LargeTiles, 3, 8>;

// Of the sizes, and of what these mean for leading dimensions and addresses.
constexpr const char* kNeeds = "K in multiples of 8";
template <class T>
bool fits(const gemm::Operands<T>& g) {
  return gemm::load_width(g) == 8;
}
