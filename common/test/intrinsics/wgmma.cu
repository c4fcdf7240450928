// wgmma, D (64 x N) (+)= A (64 x 16 steps) B^T: every N, both types of elements and accumulators;
// every major and swizzle of both operands, A from registers, and signs at some N (PTX ISA,
// "wgmma.mma_async").

#include "wgmma.hpp"

namespace intrinsics::wgmma {

using enum core::Major;
using enum core::SwizzleMode;

// T: bf16 or fp16. D: float, or std::uint32_t for packed fp16 accumulators.
template <class T, class D, int N, Major kMajorA, Major kMajorB, bool kFromRegisters, int kSignA,
          int kSignB>
__global__ void __launch_bounds__(kWarpgroup)
    multiply(Arguments job, const std::uint32_t* image_a, const std::uint32_t* image_b,
             const std::uint32_t* a_registers, const std::uint32_t* in, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  constexpr int kRegisters = std::same_as<D, float> ? N / 2 : N / 4;
  const int thread = static_cast<int>(threadIdx.x);
  job.fill(smem, image_a, image_b);

  D d[kRegisters];
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    d[i] = std::bit_cast<D>(in[thread * kRegisters + i]);
  }
  const core::MatrixDescriptor b = job.b.descriptor(smem.b);
  if constexpr (kFromRegisters) {
    std::uint32_t a[kMaxSteps][4];
#pragma unroll
    for (int step = 0; step < kMaxSteps; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[step][i] = step < job.steps ? a_registers[(step * kWarpgroup + thread) * 4 + i] : 0;
      }
    }
    gpu::wgmma_fence();
#pragma unroll
    for (int step = 0; step < kMaxSteps; ++step) {
      if (step < job.steps) {
        gpu::wgmma<T, kMajorA, kMajorB, kSignA, kSignB>(d, a[step], b.plus(job.b.advance[step]),
                                                        step > 0 || job.accumulate);
      }
    }
  } else {
    const core::MatrixDescriptor a = job.a.descriptor(smem.a);
    gpu::wgmma_fence();
    for (int step = 0; step < job.steps; ++step) {
      gpu::wgmma<T, kMajorA, kMajorB, kSignA, kSignB>(
          d, a.plus(job.a.advance[step]), b.plus(job.b.advance[step]), step > 0 || job.accumulate);
    }
  }
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  put(out, d);
}

template <class T, class D, int N, Major kMajorA, Major kMajorB, bool kFromRegisters,
          int kSignA = 1, int kSignB = 1>
Form form() {
  return {multiply<T, D, N, kMajorA, kMajorB, kFromRegisters, kSignA, kSignB>,
          kType<T>,
          kType<T>,
          kSum<D>,
          N,
          kFromRegisters,
          kSignA,
          kSignB,
          kMajorA,
          kMajorB};
}

// For each pair of swizzles (of B alone, where A comes from registers): one instruction that
// overwrites D, and four that add to it.
void add_swizzles(Cases& cases, const Form& form) {
  for (const core::SwizzleMode swizzle_a : {kNone, k32B, k64B, k128B}) {
    if (form.a_registers && swizzle_a != kNone) continue;
    for (const core::SwizzleMode swizzle_b : {kNone, k32B, k64B, k128B}) {
      add_form(cases, "wgmma", form, {swizzle_a, swizzle_b, false, 1, false});
      add_form(cases, "wgmma", form, {swizzle_a, swizzle_b, true, 4, true});
    }
  }
}

// Both operands from shared memory in all majors, and A from registers with B in both: all six
// forms of one shape, with every swizzle.
template <class T, class D, int N>
void add_majors(Cases& cases) {
  add_swizzles(cases, form<T, D, N, kK, kK, false>());
  add_swizzles(cases, form<T, D, N, kK, kMn, false>());
  add_swizzles(cases, form<T, D, N, kMn, kK, false>());
  add_swizzles(cases, form<T, D, N, kMn, kMn, false>());
  add_swizzles(cases, form<T, D, N, kK, kK, true>());
  add_swizzles(cases, form<T, D, N, kK, kMn, true>());
}

template <class T, class D, bool kFromRegisters>
void add_signs(Cases& cases) {
  for (const Form& signs : {form<T, D, 32, kK, kK, kFromRegisters, -1, 1>(),
                            form<T, D, 32, kK, kK, kFromRegisters, 1, -1>(),
                            form<T, D, 32, kK, kK, kFromRegisters, -1, -1>()}) {
    add_form(cases, "wgmma", signs, {k128B, k128B, false, 1, false});
    add_form(cases, "wgmma", signs, {k128B, k128B, false, 4, true});
  }
}

// Operands K-major with the 128-byte swizzle, as TMA leaves them, and B N-major as well.
template <class T, class D, int N>
void add_shape(Cases& cases) {
  std::vector<Form> forms = {form<T, D, N, kK, kK, false>()};
  if constexpr (std::same_as<D, float>) forms.push_back(form<T, D, N, kK, kMn, false>());
  for (const Form& shape : forms) {
    add_form(cases, "wgmma", shape, {k128B, k128B, false, 1, true});
    add_form(cases, "wgmma", shape, {k128B, k128B, false, 4, false});
    if (shape.sum == Sum::kF32) add_form(cases, "wgmma", shape, {k128B, k128B, false, 4, true});
  }
}
template <class T, class D>
void add_type(Cases& cases) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (add_shape<T, D, 8 * I + 8>(cases), ...);
  }
  (std::make_integer_sequence<int, 32>());
  add_majors<T, D, 32>(cases);
  add_majors<T, D, 256>(cases);
  add_signs<T, D, false>(cases);
  add_signs<T, D, true>(cases);
}

const Register kCases([](Cases& cases) {
  add_type<core::bf16, float>(cases);
  add_type<core::fp16, float>(cases);
  add_type<core::fp16, std::uint32_t>(cases);
});

}  // namespace intrinsics::wgmma
