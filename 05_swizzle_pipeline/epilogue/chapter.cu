#include "kernel.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

namespace {

using namespace epilogue;

// Copies of 128 bits where the problem allows them, of single elements elsewhere.
template <class Tiles, int kStages>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    return with_op<T>(problem.epilogue, [&](const auto& op) -> harness::Plan {
      if (gemm::load_width(g) == 8) return epilogue::prepare<T, Config<Tiles, kStages, 8>>(g, op);
      return epilogue::prepare<T, Config<NarrowTiles, 4, 1>>(g, op);
    });
  });
}

// Large tiles, unless small ones keep more SMs busy than they are slower.
harness::Plan by_size(const gemm::Problem& problem) {
  const int sms = gpu::sm_count();
  const double large = gemm::wave_efficiency(problem, LargeTiles::BM, LargeTiles::BN, sms);
  const double small = gemm::wave_efficiency(problem, SmallTiles::BM, SmallTiles::BN, sms);
  if (large >= 0.62 * small) return prepare<LargeTiles, 3>(problem);
  return prepare<SmallTiles, 4>(problem);
}

const harness::Registration registration({
    .name = epilogue::kName,
    .title = "An epilogue of one's own",
    .idea = "alpha and beta, bias and ReLU, or what you write, before C is rounded",
    .ceiling = harness::Ceiling::kMmaSync,
    .min_compute_capability = 80,
    .variants =
        {
            {"by_size", "128x256 or 64x64 tiles, as the size demands", by_size},
            {"large_tiles", "128x256 tiles, 8 warps of 64x64", prepare<LargeTiles, 3>},
        },
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
});

}  // namespace
