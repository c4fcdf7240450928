#include "../plan.cuh"
#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

namespace {

using mma_ldmatrix::FragmentLoad;
using mma_ldmatrix::LargeTiles;
using mma_ldmatrix::NarrowTiles;
using mma_ldmatrix::SmallTiles;

template <class Tiles, FragmentLoad kLoad>
harness::Plan n_contiguous(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    if (n_major::load_width(g) == 8) {
      return n_major::prepare<T, n_major::Config<Tiles, 8, kLoad>>(g);
    }
    return n_major::prepare<T, n_major::Config<NarrowTiles, 1, kLoad>>(g);
  });
}

// For comparison, the lesson's kernel.
template <class Tiles, FragmentLoad kLoad>
harness::Plan k_contiguous(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    if (gemm::load_width(g) == 8) {
      return mma_ldmatrix::prepare<T, mma_ldmatrix::Config<Tiles, 8, kLoad>>(g);
    }
    return mma_ldmatrix::prepare<T, mma_ldmatrix::Config<NarrowTiles, 1, kLoad>>(g);
  });
}

// Tilings as the lesson chooses them.
template <FragmentLoad kLoad>
harness::Plan by_size(const gemm::Problem& problem) {
  const bool large = 4 * gemm::tiles_of(problem, LargeTiles::BM, LargeTiles::BN) >=
                     std::int64_t{3} * gpu::sm_count();
  if (problem.b_major == gemm::Major::kK) {
    return large ? k_contiguous<LargeTiles, kLoad>(problem)
                 : k_contiguous<SmallTiles, kLoad>(problem);
  }
  return large ? n_contiguous<LargeTiles, kLoad>(problem)
               : n_contiguous<SmallTiles, kLoad>(problem);
}

const harness::Registration registration({
    .name = n_major::kName,
    .title = "B with N contiguous",
    .idea = "ldmatrix.trans transposes B on its way to the registers",
    .ceiling = harness::Ceiling::kMmaSync,
    .min_compute_capability = 80,
    .variants =
        {
            {"ldmatrix", "large tiles, or small ones where they are too few for the SMs",
             by_size<FragmentLoad::kLdmatrix>},
            {"lds", "the same with fragments by shared loads of 16 bits",
             by_size<FragmentLoad::kLds>},
        },
    .layouts = {"tt", "tn"},
});

}  // namespace
