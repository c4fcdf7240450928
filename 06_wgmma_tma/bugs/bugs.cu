// A small tile, rows of B both ways.
#include "../plan.cuh"

using namespace wgmma_tma;

template <Rows kRows>
using Small = Config<128, 64, 3, 1, kRows>;

harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if (can_permute(problem)) return prepare<core::bf16, Small<Rows::kPermuted>>(g);
  return prepare<core::bf16, Small<Rows::kPlain>>(g);
}

const harness::Chapter chapter{.name = kName,
                               .ceiling = harness::Ceiling::kWgmma,
                               .variants = {{"by_rows", "", plan}},
                               .tma_operands = true};
