#include "kernel.cuh"

#include <harness/chapter.hpp>

namespace {

using slice_k::Config;

// The widest loads that the problem allows: 128 bits, or what K, strides and addresses permit.
template <class Tiles>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::with_load_width(problem, [&]<class T, int kVector>(const auto& g) -> harness::Plan {
    return slice_k::prepare<T, Config<Tiles, kVector>>(g);
  });
}

const harness::Registration registration({
    .name = slice_k::kName,
    .title = "Slice-K",
    .idea = "the warps of a block divide K and add up their accumulators",
    .ceiling = harness::Ceiling::kFfma,
    .min_compute_capability = 80,
    .variants =
        {
            {"slice_k", "32x64 tiles, four warps share the outputs and every k-tile",
             prepare<slice_k::SharedTile>},
            {"divided", "32x64 tiles, each of four warps has its own outputs",
             prepare<slice_k::DividedTile>},
        },
});

}  // namespace
