#pragma once
// wgmma of tf32, 8-bit floats and integers, D (64 x N) (+)= A (64 x K steps) B^T, K-major: every
// pair of types at every N; A from registers, swizzles and signs at some N; all numbers of 8-bit
// floats; sums of integers that wrap around or saturate.

#include "wgmma.hpp"

#include <gpu/wgmma_others.hpp>

namespace intrinsics::wgmma_others {

using enum core::Major;
using enum core::SwizzleMode;

template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int kSignA, int kSignB,
          int N>
__device__ void multiply_one(const Arguments& job, const Storage& smem,
                             const std::uint32_t* a_registers, const std::uint32_t* in,
                             std::uint32_t* out) {
  constexpr int kRegisters = std::same_as<D, std::uint32_t> ? N / 4 : N / 2;
  D d[kRegisters];
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    d[i] = std::bit_cast<D>(in[static_cast<int>(threadIdx.x) * kRegisters + i]);
  }
  const auto multiply = [&](const auto& a, core::MatrixDescriptor b, bool accumulate) {
    if constexpr (kSaturate) {
      gpu::wgmma_satfinite<A, B>(d, a, b, accumulate);
    } else {
      gpu::wgmma<A, B, kSignA, kSignB>(d, a, b, accumulate);
    }
  };
  for (int step = 0; step < job.steps; ++step) {
    const core::MatrixDescriptor b = job.b.descriptor(smem.b).plus(job.b.advance[step]);
    if constexpr (kFromRegisters) {
      std::uint32_t a[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = a_registers[(step * kWarpgroup + static_cast<int>(threadIdx.x)) * 4 + i];
      }
      gpu::wgmma_fence();
      multiply(a, b, step > 0 || job.accumulate);
    } else {
      gpu::wgmma_fence();
      multiply(job.a.descriptor(smem.a).plus(job.a.advance[step]), b, step > 0 || job.accumulate);
    }
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
  }
  put(out, d);
}

// One kernel for all widths, of which job.n is chosen.
template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int kSignA, int kSignB,
          int... N>
__global__ void __launch_bounds__(kWarpgroup)
    multiply(Arguments job, const std::uint32_t* image_a, const std::uint32_t* image_b,
             const std::uint32_t* a_registers, const std::uint32_t* in, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  job.fill(smem, image_a, image_b);
  ((job.n == N ? multiply_one<A, B, D, kSaturate, kFromRegisters, kSignA, kSignB, N>(
                     job, smem, a_registers, in, out)
               : void()),
   ...);
}

template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int kSignA, int kSignB,
          int... N>
Form form(int n) {
  return {multiply<A, B, D, kSaturate, kFromRegisters, kSignA, kSignB, N...>,
          kType<A>,
          kType<B>,
          kSum<D>,
          n,
          kFromRegisters,
          kSignA,
          kSignB,
          kK,
          kK,
          kSaturate};
}

// At its widths with the 128-byte swizzle, as TMA leaves operands; at one width with all swizzles,
// with signs, and with inputs of every kind.
template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int... N>
void add_forms(Cases& cases, std::integer_sequence<int, N...>) {
  const auto form_of = [](int n) {
    return form<A, B, D, kSaturate, kFromRegisters, 1, 1, N...>(n);
  };
  const auto add = [&](const Form& form, const Setting& setting) {
    add_form(cases, "wgmma.others", form, setting);
  };
  for (const int n : {N...}) {
    add(form_of(n), {k128B, k128B, false, 1, false});
    add(form_of(n), {k128B, k128B, false, 4, true});
  }
  for (const core::SwizzleMode swizzle_a : {kNone, k32B, k64B, k128B}) {
    if (kFromRegisters && swizzle_a != kNone) continue;
    for (const core::SwizzleMode swizzle_b : {kNone, k32B, k64B, k128B}) {
      add(form_of(32), {swizzle_a, swizzle_b, true, 4, true});
    }
  }
  if constexpr (core::Int8<A>) {
    add(form_of(32), {k128B, k128B, false, 4, true, Inputs::kEdge});
  } else {
    add(form<A, B, D, false, kFromRegisters, -1, 1, 32>(32), {k128B, k128B, false, 4, true});
    add(form<A, B, D, false, kFromRegisters, 1, -1, 32>(32), {k128B, k128B, false, 4, true});
  }
  if constexpr (core::Float8<A> && std::same_as<D, float>) {
    add(form_of(32), {k128B, k128B, false, 1, false, Inputs::kAllOfA});
  }
}

template <class A, class B, class D>
void add_type(Cases& cases) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    add_forms<A, B, D, false, false>(
        cases,
        std::integer_sequence<int, (core::Int8<A> && I >= 3 ? 16 * I - 16 : 8 * I + 8)...>());
  }
  (std::make_integer_sequence < int, core::Int8<A> ? 18 : 32 > ());
  using Some = std::integer_sequence<int, 8, 24, 32, 112, 256>;
  add_forms<A, B, D, false, true>(cases, Some());
  if constexpr (core::Int8<A>) {
    add_forms<A, B, D, true, false>(cases, Some());
    add_forms<A, B, D, true, true>(cases, Some());
  }
}

}  // namespace intrinsics::wgmma_others
