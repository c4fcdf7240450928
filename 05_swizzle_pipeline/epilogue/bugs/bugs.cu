// Small tiles, vectorized and not.
#include "../kernel.cuh"

using namespace epilogue;

harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  return with_op<core::bf16>(problem.epilogue, [&](const auto& op) -> harness::Plan {
    if (gemm::load_width(g) == 8) return prepare<core::bf16, Config<SmallTiles, 4, 8>>(g, op);
    return prepare<core::bf16, Config<NarrowTiles, 4, 1>>(g, op);
  });
}

const harness::Chapter chapter{.name = epilogue::kName,
                               .ceiling = harness::Ceiling::kMmaSync,
                               .variants = {{"plain", "", plan}},
                               .epilogues = {"identity", "alpha_beta", "bias_relu"}};
