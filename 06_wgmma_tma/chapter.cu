#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

namespace {

using namespace wgmma_tma;

template <Rows kRows>
using Large = Config<128, 256, 4, 1, kRows>;
template <Rows kRows>
using Small = Config<64, 64, 6, 2, kRows>;
template <Rows kRows>
using N64 = Config<64, 64, 1, 8, kRows>;
template <Rows kRows>
using N128 = Config<128, 128, 3, 2, kRows>;
template <Rows kRows>
using TwoStages = Config<128, 256, 2, 1, kRows>;

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return wgmma_tma::prepare<T, C>(gemm::typed_operands<T>(problem));
  });
}

// Rows of B permuted where that is possible.
template <template <Rows> class C>
harness::Plan prepare(const gemm::Problem& problem) {
  if (can_permute(problem)) return plan<C<Rows::kPermuted>>(problem);
  return plan<C<Rows::kPlain>>(problem);
}

// For comparison, where that is possible; other problems run as plain_rows does.
template <template <Rows> class C>
harness::Plan compare(const gemm::Problem& problem) {
  if (can_permute(problem)) return plan<C<Rows::kPermuted>>(problem);
  return plan<Large<Rows::kPlain>>(problem);
}

// Large tiles, whose blocks are twice as fast, unless too few SMs would have one.
harness::Plan by_size(const gemm::Problem& problem) {
  const int sms = gpu::sm_count();
  const double large = gemm::wave_efficiency(problem, 128, 256, sms);
  const double small = gemm::wave_efficiency(problem, 64, 64, 2 * sms);
  return large >= 0.5 * small ? prepare<Large>(problem) : prepare<Small>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "wgmma and TMA",
    .idea = "tiles by TMA, multiplied where they lie by whole warpgroups",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"by_size", "128x256 tiles, 4 stages; 64x64 tiles where those are too few", by_size},
            {"plain_rows", "128x256 tiles, rows of B as they come, stores of two elements",
             plan<Large<Rows::kPlain>>},
            {"n64", "64x64 tiles, one stage: load, multiply, wait", compare<N64>},
            {"n128", "128x128 tiles, 3 stages, two blocks on an SM", compare<N128>},
            {"stages_2", "128x256 tiles, 2 stages", compare<TwoStages>},
        },
    .tma_operands = true,
});

}  // namespace
