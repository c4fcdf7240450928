#pragma once
// How a launch is prepared: by tiles that every_shape has, and its pages measure.

#include "../choose.hpp"
#include "../plan.cuh"
#include "launch.hpp"

namespace every_shape {

// Nothing is kept from one call to the next: what a plan holds, tensor maps above all, belongs to
// these sizes and these addresses, and reaches the kernel with the launch.
template <class T, class Op>
void launch_with(const gemm::Problem& problem, const Op& op, gpu::Stream stream) {
  using Wide = Tile<128, 256, 4, 2>;
  using Small = Tile<64, 128, 8, 1>;
  const auto g = gemm::typed_operands<T>(problem);
  const auto run = [&]<class Choice>() {
    prepare<T, Config<Choice>>(g, LaunchPolicy{}, op).run(stream);
  };
  if (!can_store_wide(problem)) return run.template operator()<PlainRows<Direct<Wide>>>();
  if (!wants_wide(problem)) return run.template operator()<AtOnce<Small>>();
  if constexpr (Op::kReadsColumn) {
    run.template operator()<Direct<Wide>>();
  } else {
    run.template operator()<Wide>();
  }
}

// Calls with_type.template operator()<T>() with the type of the elements, for a problem that is
// right.
template <class Use>
void for_right_problem(const gemm::Problem& problem, const Use& with_type) {
  gemm::validate(problem, kName);
  gemm::require_tma(problem, kName);
  gemm::dispatch_type(problem.type, with_type);
}

}  // namespace every_shape
