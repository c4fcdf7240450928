#include "plan.cuh"

using namespace cluster_multicast;

// 128x256 tiles, two consumers, 4 stages, clusters of two blocks that share B. Rows of B are
// permuted.
using Chosen = Config<128, 256, 4, 2, Rows::kPermuted, 2, 1>;

// Of the sizes, and of what these mean for leading dimensions and addresses.
constexpr const char* kNeeds = "K in multiples of 8 and N of 32";
template <class T>
bool fits(const gemm::Operands<T>& g) {
  return gemm::load_width(g) == 8 && can_permute(g);
}
