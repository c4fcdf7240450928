// Another EpilogueOp than identity.

#include "tiling.cuh"

namespace every_shape {
namespace {

using Wide = Tile<128, 256, 4, 2>;
using Small = Tile<64, 128, 8, 1>;

template <class Choice, class T, class Op>
harness::Plan plan_with(const gemm::Problem& problem, const LaunchPolicy& policy, const Op& op) {
  return prepare<T, Config<Choice>>(gemm::typed_operands<T>(problem), policy, op);
}

}  // namespace

harness::Plan prepare_epilogue(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return with_epilogue_op<T>(problem, [&]<class Op>(const Op& op) -> harness::Plan {
      if constexpr (std::same_as<Op, gemm::Identity>) {
        throw core::Refused(std::string(kName) + ": no epilogue, where one is asked for");
      } else {
        if (!can_permute(problem)) {
          return plan_with<PlainRows<Direct<Wide>>, T>(problem, policy, op);
        }
        if (!wants_wide(problem)) return plan_with<AtOnce<Small>, T>(problem, policy, op);
        // What C holds is read into the registers in which results are on their way.
        if constexpr (Op::kReadsC) {
          return plan_with<Immediate<Direct<Wide>>, T>(problem, policy, op);
        } else {
          return plan_with<Direct<Wide>, T>(problem, policy, op);
        }
      }
    });
  });
}

}  // namespace every_shape
