#include "kernel.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

namespace {

using mma_ldmatrix::FragmentLoad;
using mma_ldmatrix::LargeTiles;
using mma_ldmatrix::NarrowTiles;
using mma_ldmatrix::SmallTiles;

// Loads of 128 bits where the problem allows them, of single elements elsewhere. Where K is
// contiguous, for comparison, the lesson's kernel.
template <class Tiles, FragmentLoad kLoad>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    const bool along_k = problem.b_major == gemm::Major::kK;
    const auto with = [&]<class Shape, int kVector>() -> harness::Plan {
      if (along_k) {
        return mma_ldmatrix::prepare<T, mma_ldmatrix::Config<Shape, kVector, kLoad>>(g);
      }
      return n_major::prepare<T, n_major::Config<Shape, kVector, kLoad>>(g);
    };
    const int width = along_k ? gemm::load_width(g) : n_major::load_width(g);
    return width == 8 ? with.template operator()<Tiles, 8>()
                      : with.template operator()<NarrowTiles, 1>();
  });
}

// Tilings as the lesson chooses them.
template <FragmentLoad kLoad>
harness::Plan by_size(const gemm::Problem& problem) {
  const auto tiles = gemm::tiles_of(problem, LargeTiles::BM, LargeTiles::BN);
  if (4 * tiles < 3 * gpu::sm_count()) return prepare<SmallTiles, kLoad>(problem);
  return prepare<LargeTiles, kLoad>(problem);
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
