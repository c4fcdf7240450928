#include "kernel.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace wgmma_lab;

template <SwizzleMode kSwizzle, Major kMajorA, Major kMajorB>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return wgmma_lab::prepare<T, Config<kSwizzle, kMajorA, kMajorB>>(
        gemm::typed_operands<T>(problem));
  });
}

// The kernel is compiled for each pair of majors: they are bits of the instruction. Other swizzles
// than 128 bytes for K-major operands alone; other problems run as swizzle_128 does.
template <SwizzleMode kSwizzle>
harness::Plan by_major(const gemm::Problem& problem) {
  using enum Major;
  constexpr auto k128 = SwizzleMode::k128B;
  const bool b_along_k = problem.b_major == kK;
  if (problem.a_major == kK) {
    return b_along_k ? plan<kSwizzle, kK, kK>(problem) : plan<k128, kK, kMn>(problem);
  }
  return b_along_k ? plan<k128, kMn, kK>(problem) : plan<k128, kMn, kMn>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "The lab of wgmma",
    .idea = "descriptors bit by bit; operands of either major, tiles of every swizzle",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"swizzle_128", "128x256 tiles, 4 stages, 128-byte swizzle",
             by_major<SwizzleMode::k128B>},
            {"swizzle_none", "without a swizzle", by_major<SwizzleMode::kNone>},
            {"swizzle_32", "with a swizzle of 32 bytes", by_major<SwizzleMode::k32B>},
            {"swizzle_64", "of 64 bytes", by_major<SwizzleMode::k64B>},
        },
    .layouts = {"tn", "nn", "nt", "tt"},
    .tma_operands = true,
});

}  // namespace
