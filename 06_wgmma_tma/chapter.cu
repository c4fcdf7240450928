#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>
#include <cstdint>

namespace {

using namespace wgmma_tma;

using Wide = Config<128, 256, 4>;
using Medium = Config<128, 128, 3, 2>;
using Small = Config<64, 64, 6, 2>;

// The kernel is compiled for each pair of majors: they are bits of the instruction.
template <class C>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    const auto plan = [&]<Major kA, Major kB>() -> harness::Plan {
      return wgmma_tma::prepare<T, typename C::template WithMajors<kA, kB>>(g);
    };
    if (problem.a_major == Major::kK) {
      if (problem.b_major == Major::kK) return plan.template operator()<Major::kK, Major::kK>();
      return plan.template operator()<Major::kK, Major::kMn>();
    }
    if (problem.b_major == Major::kK) return plan.template operator()<Major::kMn, Major::kK>();
    return plan.template operator()<Major::kMn, Major::kMn>();
  });
}

// For comparison, with K-major operands; others run as `wide` does.
template <class C>
harness::Plan compare(const gemm::Problem& problem) {
  if (problem.a_major != Major::kK || problem.b_major != Major::kK) return prepare<Wide>(problem);
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return wgmma_tma::prepare<T, C>(operands<T>(problem));
  });
}

template <SwizzleMode kSwizzle>
using WithSwizzle = Config<128, 256, 4, 1, kSwizzle>;

// What a tiling is worth for a problem: how fast its blocks are with all SMs busy (wide tiles:
// 100), and how busy they are if every SM works as long as the busiest.
template <class C>
double score(const gemm::Problem& problem, double speed) {
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t tiles = ceil_div(problem.m, C::BM) * ceil_div(problem.n, C::BN);
  const std::int64_t places = std::int64_t{gpu::sm_count()} * C::kBlocksPerSm;
  const std::int64_t rounds = std::max<std::int64_t>(1, ceil_div(tiles, places));
  return speed * static_cast<double>(tiles) / static_cast<double>(rounds * places);
}

// The tiling with the best score.
harness::Plan by_size(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  const double wide = score<Wide>(problem, 100), medium = score<Medium>(problem, 88),
               small = score<Small>(problem, 48);
  if (wide >= std::max(medium, small)) return prepare<Wide>(problem);
  return medium >= small ? prepare<Medium>(problem) : prepare<Small>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "wgmma and TMA",
    .idea = "tiles by TMA, multiplied where they lie by whole warpgroups",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"by_size", "of three tilings the one that suits the size", by_size},
            {"wide", "128x256 tiles, two warpgroups, 4 stages", prepare<Wide>},
            {"n64", "64x64 tiles, one stage: load, multiply, wait", compare<Config<64, 64, 1, 8>>},
            {"n128", "128x128 tiles, 3 stages, two blocks on an SM", prepare<Medium>},
            {"n192", "128x192 tiles, 5 stages", compare<Config<128, 192, 5>>},
            {"rows_192", "192x256 tiles, three warpgroups, 3 stages", compare<Config<192, 256, 3>>},
            {"small_tiles", "64x64 tiles, 6 stages, two blocks on an SM", prepare<Small>},
            {"stages_1", "as wide, with 1 stage", compare<Config<128, 256, 1>>},
            {"stages_2", "with 2", compare<Config<128, 256, 2>>},
            {"stages_3", "with 3", compare<Config<128, 256, 3>>},
            {"swizzle_none", "as wide, without a swizzle",
             compare<WithSwizzle<SwizzleMode::kNone>>},
            {"swizzle_32", "with a swizzle of 32 bytes", compare<WithSwizzle<SwizzleMode::k32B>>},
            {"swizzle_64", "of 64 bytes", compare<WithSwizzle<SwizzleMode::k64B>>},
        },
    .layouts = {"tn", "nn", "nt", "tt"},
    .tma_operands = true,
});

}  // namespace
