// C in fp32.

#include "build_tiling.cuh"

namespace every_shape {

harness::Plan prepare_fp32_c(const gemm::Problem& problem, const LaunchPolicy& policy) {
  using Choice = PlainRows<Immediate<Direct<Tile<128, 256, 4, 2>>>>;
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return with_epilogue_op<T>(problem, [&]<class Op>(const Op& op) -> harness::Plan {
      const auto operands = gemm::typed_operands<T, float>(problem);
      return prepare<T, Config<Choice>, Op, float>(operands, policy, op);
    });
  });
}

}  // namespace every_shape
