#include "../plan.cuh"

template <class Config>
harness::Plan plan(const gemm::Problem& problem) {
  return naive::prepare<core::bf16, Config>(gemm::typed_operands<core::bf16>(problem));
}

const harness::Chapter chapter{
    .name = naive::kName,
    .variants = {{"strided", "", plan<naive::Strided>}, {"coalesced", "", plan<naive::Coalesced>}}};
