#pragma once
// Tensor cores the Hopper way (PTX wgmma.mma_async, compute capability 9.0a): a warpgroup, four
// neighbouring warps, multiplies tiles that lie in shared memory, asynchronously.

#include <runtime/current.hpp>
#include <runtime/wgmma.hpp>

#include <core/modes.hpp>
#include <core/numeric.hpp>

#include <concepts>
#include <cstdint>

namespace gpu {

// Which index runs through neighbouring elements of an operand: k, or the row (m of A, n of B).
using core::Major;

// An operand in shared memory. What leading_bytes (LBO) and stride_bytes (SBO) lead to depends on
// major and swizzle; see layout/wgmma_smem.hpp.
inline core::MatrixDescriptor matrix_descriptor(const void* smem, core::SwizzleMode swizzle,
                                                int leading_bytes, int stride_bytes,
                                                Site where = Site::current()) {
  runtime::check_shared(smem, 16, runtime::Access::kLoad, where);
  const auto offset =
      static_cast<const std::byte*>(smem) - runtime::current.block->shared_memory.window();
  return core::encode({.address = static_cast<std::uint32_t>(offset),
                       .leading_bytes = leading_bytes,
                       .stride_bytes = stride_bytes,
                       .swizzle = swizzle});
}

namespace detail {

template <class A, class B, Major kMajorA, Major kMajorB, int kSignA, int kSignB, class D,
          int kRegisters, class Left>
void issue(D (&d)[kRegisters], const Left& a, core::MatrixDescriptor b, bool accumulate, Site where,
           bool saturate = false) {
  constexpr bool kHalf = std::same_as<D, std::uint32_t>, kInt = std::same_as<D, std::int32_t>;
  constexpr bool kFromRegisters = !std::same_as<Left, core::MatrixDescriptor>;
  constexpr int kN = (kHalf ? 4 : 2) * kRegisters;
  static_assert(core::wgmma_multiplies<A, B, D>(), "no wgmma of these types");
  static_assert(core::wgmma_has_width<D>(kN), "no wgmma of this width");
  static_assert((kSignA == 1 || kSignA == -1) && (kSignB == 1 || kSignB == -1));
  static_assert(!kInt || (kSignA == 1 && kSignB == 1), "integers have no signs to change");
  static_assert(kMajorA == Major::kK || !kFromRegisters, "A in registers has no major");
  using enum runtime::WgmmaResult;
  const runtime::WgmmaShape shape = {.n = kN,
                                     .k = 32 / sizeof(A),
                                     .read_a = runtime::read_chunk<A>,
                                     .read_b = runtime::read_chunk<B>,
                                     .result = kHalf  ? kFp16
                                               : kInt ? kS32
                                                      : kFp32,
                                     .saturate = saturate,
                                     .registers_a = kFromRegisters,
                                     .mn_major_a = kMajorA == Major::kMn,
                                     .mn_major_b = kMajorB == Major::kMn,
                                     .sign_a = kSignA,
                                     .sign_b = kSignB,
                                     .accumulate = accumulate};
  core::MatrixDescriptor descriptor = {0};
  const std::uint32_t* registers = nullptr;
  if constexpr (kFromRegisters) {
    static_assert(std::same_as<Left, std::uint32_t[4]>, "A is a descriptor, or four registers");
    registers = a;
  } else {
    descriptor = a;
  }
  runtime::running_warpgroup("wgmma").issue(*runtime::current.thread, shape,
                                            reinterpret_cast<std::uint32_t*>(d), descriptor,
                                            registers, b, where);
}

}  // namespace detail

// d (64 x N) = kSignA a (64 x 16) * kSignB b^T (N x 16), plus d itself if `accumulate`. All 128
// threads of the warpgroup call, each with its part of d: fp32, or two fp16 in a register. `a` is a
// descriptor; or four registers as mma_m16n8k16 holds them: warp w of the warpgroup has rows 16 w
// to 16 w + 15. The registers may be touched again after wgmma_commit() and wgmma_wait().
template <core::SmallFloat T, Major kMajorA = Major::kK, Major kMajorB = Major::kK, int kSignA = 1,
          int kSignB = 1, class D, int kRegisters, class Left>
void wgmma(D (&d)[kRegisters], const Left& a, core::MatrixDescriptor b, bool accumulate = true,
           Site where = Site::current()) {
  detail::issue<T, T, kMajorA, kMajorB, kSignA, kSignB>(d, a, b, accumulate, where);
}

// Before the first wgmma, and whenever this thread has touched registers that the next one uses.
inline void wgmma_fence(Site = Site::current()) {
  runtime::running_warpgroup("wgmma_fence").fence(*runtime::current.thread);
}

// Makes a group of the wgmmas since the last one.
inline void wgmma_commit(Site where = Site::current()) {
  runtime::running_warpgroup("wgmma_commit").commit(*runtime::current.thread, where);
}

// Returns when at most kPending of the latest groups are under way.
template <int kPending>
void wgmma_wait(Site where = Site::current()) {
  runtime::running_warpgroup("wgmma_wait").wait(*runtime::current.thread, kPending, where);
}

}  // namespace gpu
