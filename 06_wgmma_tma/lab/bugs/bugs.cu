// B of either major, and no swizzle where it is K-major.
#include "../kernel.cuh"

using namespace wgmma_lab;

harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if (problem.b_major == Major::kK) return prepare<core::bf16, Config<SwizzleMode::kNone>>(g);
  return prepare<core::bf16, Config<SwizzleMode::k128B, Major::kK, Major::kMn>>(g);
}

const harness::Chapter chapter{.name = kName,
                               .ceiling = harness::Ceiling::kWgmma,
                               .variants = {{"by_major", "", plan}},
                               .layouts = {"tn", "tt"},
                               .tma_operands = true};
