#include "plan.cuh"

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

// The kernel is compiled for each pair of majors: they are bits of the instruction.
harness::Plan swizzle_128(const gemm::Problem& problem) {
  constexpr auto kSwizzle = SwizzleMode::k128B;
  const bool b_along_k = problem.b_major == Major::kK;
  if (problem.a_major == Major::kK) {
    return b_along_k ? plan<kSwizzle, Major::kK, Major::kK>(problem)
                     : plan<kSwizzle, Major::kK, Major::kMn>(problem);
  }
  return b_along_k ? plan<kSwizzle, Major::kMn, Major::kK>(problem)
                   : plan<kSwizzle, Major::kMn, Major::kMn>(problem);
}

// Other swizzles for K-major operands; other problems run as swizzle_128 does.
template <SwizzleMode kSwizzle>
harness::Plan compare(const gemm::Problem& problem) {
  if (problem.a_major != Major::kK || problem.b_major != Major::kK) return swizzle_128(problem);
  return plan<kSwizzle, Major::kK, Major::kK>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "The lab of wgmma",
    .idea = "descriptors bit by bit; operands of either major, tiles of every swizzle",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"swizzle_128", "128x256 tiles, 4 stages, 128-byte swizzle", swizzle_128},
            {"swizzle_none", "without a swizzle", compare<SwizzleMode::kNone>},
            {"swizzle_32", "with a swizzle of 32 bytes", compare<SwizzleMode::k32B>},
            {"swizzle_64", "of 64 bytes", compare<SwizzleMode::k64B>},
        },
    .layouts = {"tn", "nn", "nt", "tt"},
    .tma_operands = true,
});

}  // namespace
