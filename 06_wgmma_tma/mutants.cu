// What planted bugs are built with: a small tile, rows of B both ways.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace wgmma_tma;

template <Rows kRows>
harness::Plan plan(const gemm::Problem& problem) {
  return prepare<core::bf16, Config<128, 64, 3, 1, kRows>>(
      gemm::typed_operands<core::bf16>(problem));
}

harness::Plan by_rows(const gemm::Problem& problem) {
  return can_permute(problem) ? plan<Rows::kPermuted>(problem) : plan<Rows::kPlain>(problem);
}

const harness::Registration registration({.name = kName,
                                          .ceiling = harness::Ceiling::kWgmma,
                                          .variants = {{"by_rows", "", by_rows}},
                                          .tma_operands = true});

}  // namespace
