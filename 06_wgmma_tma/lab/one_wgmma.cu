// The lab's kernels, instantiated, and the choice among them.

#include "case.hpp"
#include "one_wgmma.cuh"

#include <gpu/launch.hpp>

namespace wgmma_lab {

namespace {

using Kernel = void (*)(Arguments);
using TmaKernel = void (*)(gpu::TensorMap, gpu::TensorMap, Arguments);

template <class T, int N>
Kernel stored_kernel(const Case& c) {
  const bool a_k = c.a.major == layout::Major::kK, b_k = c.b.major == layout::Major::kK;
  using enum Major;
  if (c.a_in_registers) {
    return b_k ? lab_kernel<Instruction<T, float, N, true, kK, kK>>
               : lab_kernel<Instruction<T, float, N, true, kK, kMn>>;
  }
  if (a_k) {
    return b_k ? lab_kernel<Instruction<T, float, N, false, kK, kK>>
               : lab_kernel<Instruction<T, float, N, false, kK, kMn>>;
  }
  return b_k ? lab_kernel<Instruction<T, float, N, false, kMn, kK>>
             : lab_kernel<Instruction<T, float, N, false, kMn, kMn>>;
}

using core::fp16;

// fp16 and N = 32, both operands alike and from shared memory, K = 16 kSteps.
template <class D, Major kMajor, int kSteps, int kSignA = 1, int kSignB = 1>
using Alike = Instruction<fp16, D, 32, false, kMajor, kMajor, kSteps, kSignA, kSignB>;
using Halves = std::uint32_t;

Kernel kernel_of(const Case& c) {
  using enum Major;
  const bool is_fp16 = c.type == gemm::DataType::kFp16, deep = c.k > kStepK;
  if (c.way == Way::kRewritten) {
    return rewritten_registers_kernel<Instruction<fp16, float, 32, true, kK, kMn, kMostSteps>>;
  }
  if (c.half_sums) {
    return deep ? lab_kernel<Alike<Halves, kK, kMostSteps>> : lab_kernel<Alike<Halves, kK, 1>>;
  }
  if (deep) {
    return c.a.major == layout::Major::kK ? lab_kernel<Alike<float, kK, kMostSteps>>
                                          : lab_kernel<Alike<float, kMn, kMostSteps>>;
  }
  if (c.sign_a < 0 && c.sign_b < 0) return lab_kernel<Alike<float, kK, 1, -1, -1>>;
  if (c.sign_a < 0) return lab_kernel<Alike<float, kK, 1, -1, 1>>;
  if (c.sign_b < 0) return lab_kernel<Alike<float, kK, 1, 1, -1>>;
  if (c.n == 32) return is_fp16 ? stored_kernel<fp16, 32>(c) : stored_kernel<core::bf16, 32>(c);
  return is_fp16 ? stored_kernel<fp16, 256>(c) : stored_kernel<core::bf16, 256>(c);
}

TmaKernel tma_kernel_of(const Case& c) {
  using enum Major;
  return c.a.major == layout::Major::kK ? tma_lab_kernel<Alike<float, kK, kMostSteps>>
                                        : tma_lab_kernel<Alike<float, kMn, kMostSteps>>;
}

gpu::TensorMap map_of(const OperandArguments& operand, const core::TensorMapShape& shape) {
  return gpu::make_tensor_map(reinterpret_cast<const fp16*>(operand.values), shape);
}

}  // namespace

void launch(const Case& c, const Arguments& job, const core::TensorMapShape& shape_a,
            const core::TensorMapShape& shape_b) {
  const gpu::LaunchShape shape = {.grid = dim3(1),
                                  .block = dim3(kThreads),
                                  .dynamic_smem = static_cast<std::size_t>(job.smem_bytes)};
  if (c.way != Way::kTma) return gpu::launch(kernel_of(c), shape, nullptr, job);
  gpu::launch(tma_kernel_of(c), shape, nullptr, map_of(job.a, shape_a), map_of(job.b, shape_b),
              job);
}

}  // namespace wgmma_lab
