// What planted bugs are built with: B of either major, and no swizzle where it is K-major.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace wgmma_lab;

harness::Plan by_major(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if (problem.b_major == Major::kK) return prepare<core::bf16, Config<SwizzleMode::kNone>>(g);
  return prepare<core::bf16, Config<SwizzleMode::k128B, Major::kK, Major::kMn>>(g);
}

const harness::Registration registration({.name = kName,
                                          .ceiling = harness::Ceiling::kWgmma,
                                          .variants = {{"by_major", "", by_major}},
                                          .layouts = {"tn", "tt"},
                                          .tma_operands = true});

}  // namespace
