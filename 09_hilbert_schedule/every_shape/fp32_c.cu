// C in fp32.

#include "build_tiling.cuh"

namespace every_shape {

AnyPlan prepare_fp32_c(const gemm::Problem& problem, const LaunchPolicy& policy) {
  using Choice = PlainRows<Immediate<Direct<Tile<128, 256, 4, 2>>>>;
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    return with_epilogue_op<T>(problem, [&]<class Op>(const Op& op) -> AnyPlan {
      const auto operands = gemm::typed_operands<T, float>(problem);
      return prepare<T, Config<Choice>, Op, float>(operands, policy, op);
    });
  });
}

}  // namespace every_shape
