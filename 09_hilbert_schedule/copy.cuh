#include "plan.cuh"

using namespace hilbert_schedule;

// Given: Config::kStore == Store::kDeferred, kRows == Rows::kPlain, kSlices == 1, kRank == 2,
// Config::Cluster::kSize == 1, Cluster::kSize == 1, kSize == 1, kAlone == true, N == 4,
// order == Order::kHilbert, Config::kListed == true, tile_coord == unused, operator[] == unused,
// k_tile >= kMmasInFlight == true, kMmasInFlight > 0 && k_tiles > 0 == false,
// blocks(shape.cluster) > 1 == false, operator= == unused, void* smem) == unused.

// 128x256 tiles, two consumers, 4 stages, stored by TMA while the next is multiplied.
using Chosen = Config<128, 256, 4, 2, Rows::kPlain, Store::kDeferred>;

// Of the sizes, and of what these mean for leading dimensions and addresses.
constexpr const char* kNeeds = "K and N in multiples of 8";
template <class T>
bool fits(const gemm::Operands<T>& g) {
  return gemm::load_width(g) == 8 && can_store_by_tma(g);
}
