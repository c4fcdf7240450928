#pragma once
// wgmma of operands that are not bf16 or fp16: tf32, 8-bit floats and integers, K-major, 32 bytes
// of K at a time.

#include <gpu/wgmma.hpp>

namespace gpu {

// d (64 x n) = kSignA a (64 x k) * kSignB b^T (k x n), plus d itself if `accumulate`. `a`: a
// descriptor, or four registers. d: float; std::uint32_t for two fp16; std::int32_t, which wraps
// around.
template <class A, class B = A, int kSignA = 1, int kSignB = 1, class D, int kRegisters, class Left>
requires(!core::SmallFloat<A>) void wgmma(D (&d)[kRegisters], const Left& a,
                                          core::MatrixDescriptor b, bool accumulate = true,
                                          Site where = Site::current()) {
  detail::issue<A, B, Major::kK, Major::kK, kSignA, kSignB>(d, a, b, accumulate, where);
}

// Sums of integers stay at the largest and smallest std::int32_t.
template <core::Int8 A, core::Int8 B = A, int kRegisters, class Left>
void wgmma_satfinite(std::int32_t (&d)[kRegisters], const Left& a, core::MatrixDescriptor b,
                     bool accumulate = true, Site where = Site::current()) {
  detail::issue<A, B, Major::kK, Major::kK, 1, 1>(d, a, b, accumulate, where, true);
}

}  // namespace gpu
