#pragma once
// The tilings that are built, each by one of the tilings_*.cu, and what every one of them leaves to
// others: so many kernels would take minutes to compile in one file.

#include "choose.hpp"
#include "launch_policy.hpp"

#include <harness/chapter.hpp>

#include <vector>

namespace every_shape {

// Valid problems whose operands TMA can read.
using Prepare = harness::Plan(const gemm::Problem& problem, const LaunchPolicy& policy);

// Each takes any problem: where it cannot be computed by this tiling, it is by the ones below.
Prepare prepare_wide, prepare_wide_once, prepare_large, prepare_square, prepare_flat,
    prepare_flat_pair, prepare_block, prepare_block_pair, prepare_small, prepare_upright,
    prepare_tiny, prepare_tiny_deep, prepare_slim, prepare_small_split, prepare_tiny_split,
    prepare_slim_split, prepare_tall, prepare_broad;

// Operands that are not both contiguous along K: wide tiles.
Prepare prepare_nn, prepare_nt, prepare_tt;
// Another EpilogueOp than identity: wide tiles or small ones, rows of B permuted so that neighbours
// in C, and what the op reads for them, belong to one thread.
Prepare prepare_alpha_beta, prepare_scale, prepare_bias_relu;
// C in fp32, with any EpilogueOp: wide tiles, stored at once.
Prepare prepare_fp32_c;
// Rows of B that cannot be permuted, or a C that TMA cannot store.
Prepare prepare_fallback, prepare_wide_fallback, prepare_small_fallback;
// The wide tiling's tricks that need kernels of their own.
Prepare prepare_immediate, prepare_direct, prepare_direct_immediate, prepare_in_flight,
    prepare_cluster_2x1, prepare_cluster_1x2;

// Wide tiles, not small ones?
inline bool wants_wide(const gemm::Problem& problem) {
  const int sms = gpu::sm_count();
  return microseconds(kWide, problem, sms) <= microseconds(kSmall, problem, sms);
}

// Do rows of A and B begin at sectors of 32 bytes? Where they begin in the middle of one, the L2
// has twice as many requests: blocks share B then.
inline bool sector_rows(const gemm::Problem& problem) {
  return problem.lda % 16 == 0 && problem.ldb % 16 == 0;
}

// A tiling as the chooser and --tune know it.
struct BuiltTiling {
  const Tiling* tiling;
  Prepare* prepare;
  harness::Variant variant;
};
template <Prepare kPrepare>
harness::Plan prepare_as_usual(const gemm::Problem& problem) {
  return kPrepare(problem, {});
}
template <Prepare kPrepare>
BuiltTiling built(const Tiling& tiling, const char* summary) {
  return {&tiling, kPrepare, {tiling.name, summary, prepare_as_usual<kPrepare>}};
}

// What the CUDA program has and the CPU programs have not, which would take long to compile and to
// test: cuda_only.cu or cpu_only.cu.
struct More {
  std::vector<BuiltTiling> tilings;
  std::vector<harness::Variant> variants, ablations;
};
More more();

}  // namespace every_shape
