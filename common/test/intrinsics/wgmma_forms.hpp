#pragma once
// The kernel that tries a form of wgmma, D (64 x N) (+)= A (64 x K steps) B^T (PTX ISA,
// "wgmma.mma_async"); and the cases of the types other than bf16 and fp16.

#include "wgmma.hpp"

#include <gpu/wgmma_others.hpp>

namespace intrinsics {

using enum core::Major;
using enum core::SwizzleMode;

template <class A, class B, class D, Major kMajorA, Major kMajorB, bool kFromRegisters, int kSignA,
          int kSignB, bool kSaturate, int N>
__device__ void multiply_wide(const Arguments& job, const Storage& smem,
                              const std::uint32_t* a_registers, const std::uint32_t* in,
                              std::uint32_t* out) {
  constexpr int kRegisters = std::same_as<D, std::uint32_t> ? N / 4 : N / 2;
  const int thread = static_cast<int>(threadIdx.x);
  D d[kRegisters];
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) d[i] = std::bit_cast<D>(in[thread * kRegisters + i]);
  std::uint32_t registers[kMaxSteps][4] = {};
#pragma unroll
  for (int i = 0; i < 4 * kMaxSteps && kFromRegisters; ++i) {
    if (i / 4 >= job.steps) break;
    registers[i / 4][i % 4] = a_registers[(i / 4 * kWarpgroup + thread) * 4 + i % 4];
  }
  const auto multiply = [&](const auto& a, int step) {
    const core::MatrixDescriptor b = job.b.descriptor(smem.b).plus(job.b.advance[step]);
    const bool accumulate = step > 0 || job.accumulate;
    if constexpr (kSaturate) {
      gpu::wgmma_satfinite<A, B>(d, a, b, accumulate);
    } else if constexpr (core::SmallFloat<A>) {
      gpu::wgmma<A, kMajorA, kMajorB, kSignA, kSignB>(d, a, b, accumulate);
    } else {
      gpu::wgmma<A, B, kSignA, kSignB>(d, a, b, accumulate);
    }
  };
  gpu::wgmma_fence();
#pragma unroll
  for (int step = 0; step < kMaxSteps; ++step) {
    if (step >= job.steps) break;
    if constexpr (kFromRegisters) {
      multiply(registers[step], step);
    } else {
      multiply(job.a.descriptor(smem.a).plus(job.a.advance[step]), step);
    }
  }
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  put(out, d);
}

// One kernel for all widths, of which job.n is chosen.
template <class A, class B, class D, Major kMajorA, Major kMajorB, bool kFromRegisters, int kSignA,
          int kSignB, bool kSaturate, int... N>
__global__ void __launch_bounds__(kWarpgroup)
    multiply(Arguments job, const std::uint32_t* image_a, const std::uint32_t* image_b,
             const std::uint32_t* a_registers, const std::uint32_t* in, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  job.fill(smem, image_a, image_b);
  ((job.n == N
        ? multiply_wide<A, B, D, kMajorA, kMajorB, kFromRegisters, kSignA, kSignB, kSaturate, N>(
              job, smem, a_registers, in, out)
        : void()),
   ...);
}

// Widths: those that the kernel is made for.
template <class A, class B, class D, Major kMajorA, Major kMajorB, bool kFromRegisters,
          int kSignA = 1, int kSignB = 1, bool kSaturate = false, int... N>
Form form(int n, std::integer_sequence<int, N...>) {
  return {multiply<A, B, D, kMajorA, kMajorB, kFromRegisters, kSignA, kSignB, kSaturate, N...>,
          kType<A>,
          kType<B>,
          kSum<D>,
          n,
          kFromRegisters,
          kSignA,
          kSignB,
          kMajorA,
          kMajorB,
          kSaturate};
}

template <int... I>
constexpr std::integer_sequence<int, 8 * I + 8 ...> eights(std::integer_sequence<int, I...>) {
  return {};
}
using AllWidths = decltype(eights(std::make_integer_sequence<int, 32>()));

// At its widths with the 128-byte swizzle, as TMA leaves operands; at one width with all swizzles,
// with signs, and with inputs of every kind.
template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int... N>
void add_forms(Cases& cases, std::integer_sequence<int, N...>) {
  const auto form_of = [](int n) {
    return form<A, B, D, kK, kK, kFromRegisters, 1, 1, kSaturate>(
        n, std::integer_sequence<int, N...>());
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
    const std::integer_sequence<int, 32> only;
    add(form<A, B, D, kK, kK, kFromRegisters, -1, 1>(32, only), {k128B, k128B, false, 4, true});
    add(form<A, B, D, kK, kK, kFromRegisters, 1, -1>(32, only), {k128B, k128B, false, 4, true});
  }
  if constexpr (core::Float8<A> && std::same_as<D, float>) {
    add(form_of(32), {k128B, k128B, false, 1, false, Inputs::kAllOfA});
  }
}

template <class A, class B, class D>
void add_type(Cases& cases) {
  using Integers = std::integer_sequence<int, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160,
                                         176, 192, 208, 224, 240, 256>;
  using Some = std::integer_sequence<int, 8, 24, 32, 112, 256>;
  if constexpr (core::Int8<A>) {
    add_forms<A, B, D, false, false>(cases, Integers());
    add_forms<A, B, D, true, false>(cases, Some());
    add_forms<A, B, D, true, true>(cases, Some());
  } else {
    add_forms<A, B, D, false, false>(cases, AllWidths());
  }
  add_forms<A, B, D, false, true>(cases, Some());
}

}  // namespace intrinsics
