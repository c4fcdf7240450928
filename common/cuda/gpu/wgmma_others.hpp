#pragma once
// wgmma of operands that are not bf16 or fp16: tf32 (K = 8), 8-bit floats and integers (K = 32). 32
// bytes of K are one instruction, whatever the type. Operands are K-major: the tensor cores turn
// over 16-bit elements alone. Order and rules are those of <gpu/wgmma.hpp>.

#include <gpu/wgmma.hpp>
#include <gpu/wgmma_others_instructions.hpp>

#include <concepts>
#include <cstdint>

namespace gpu {

namespace detail {

// What each form must obey.
template <class A, class B, class D, int kN, int kSignA, int kSignB>
constexpr void check_wgmma() {
  static_assert(core::wgmma_multiplies<A, B, D>(), "no wgmma of these types");
  static_assert(core::wgmma_has_width<D>(kN), "no wgmma of this width");
  static_assert(kSignA * kSignA == 1 && kSignB * kSignB == 1, "signs are 1 and -1");
}

// N, of the registers of accumulators: fp16 ones lie two to a register.
template <class D>
constexpr int wgmma_width(int registers) {
  return (std::same_as<D, std::uint32_t> ? 4 : 2) * registers;
}

__device__ inline std::uint64_t wgmma_left(core::MatrixDescriptor a) {
  return a.bits;
}
__device__ inline auto wgmma_left(const std::uint32_t (&a)[4]) -> const std::uint32_t (&)[4] {
  return a;
}

}  // namespace detail

// PTX wgmma.mma_async.sync.aligned.m64nNkK: D (64 x N) = A (64 x K) * B (K x N), plus the old D
// where `accumulate`. A: a descriptor, or four registers. Of A's rows, register i of lane l of warp
// w holds row 16 w + l / 4 + 8 (i % 2), bytes 4 (l % 4) + 16 (i / 2) and the next three.
//   A and B                   D                                       N
//   core::tf32                float                                   8, 16, ..., 256
//   core::e4m3, core::e5m2    float; std::uint32_t for two fp16       8, 16, ..., 256
//   core::s8, core::u8        std::int32_t, which wraps around        8, 16, 24, 32, 48, ..., 256
// D lies in registers as with 16-bit operands. Signs are those of floating-point operands.
template <class A, class B = A, int kSignA = 1, int kSignB = 1, class D, int kRegisters, class Left>
requires(!core::SmallFloat<A>) __device__
    void wgmma(D (&d)[kRegisters], const Left& a, core::MatrixDescriptor b,
               bool accumulate = true) {
  detail::check_wgmma<A, B, D, detail::wgmma_width<D>(kRegisters), kSignA, kSignB>();
  static_assert(!core::Int8<A> || (kSignA == 1 && kSignB == 1), "integers have no signs to change");
  detail::wgmma_instruction<A, B, kSignA, kSignB, 0, 0>(d, detail::wgmma_left(a), b.bits,
                                                        accumulate);
}

// PTX .satfinite: sums of integers stay at the largest and smallest std::int32_t.
template <core::Int8 A, core::Int8 B = A, int kRegisters, class Left>
__device__ void wgmma_satfinite(std::int32_t (&d)[kRegisters], const Left& a,
                                core::MatrixDescriptor b, bool accumulate = true) {
  detail::check_wgmma<A, B, std::int32_t, 2 * kRegisters, 1, 1>();
  detail::wgmma_instruction_satfinite<A, B, 1, 1, 0, 0>(d, detail::wgmma_left(a), b.bits,
                                                        accumulate);
}

}  // namespace gpu
