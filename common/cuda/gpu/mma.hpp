#pragma once
// The tensor core of one warp (PTX mma.sync, compute capability 8.0).

#include <core/numeric.hpp>

#include <cstdint>

namespace gpu {

// PTX mma.sync.aligned.m16n8k16.row.col.f32: d += a * b, with A 16x16, B 16x8 and D 16x8. All 32
// lanes must call together; the result is undefined otherwise. With g = lane / 4, t = lane % 4 a
// lane holds, two elements to a register of A or B, the lower index in the low half:
//   a[0] (g, 2t..)   a[1] (g + 8, 2t..)   a[2] (g, 2t + 8..)   a[3] (g + 8, 2t + 8..)   of A (m, k)
//   b[0] (2t.., g)   b[1] (2t + 8.., g)                                                 of B (k, n)
//   d[0], d[1] (g, 2t..)   d[2], d[3] (g + 8, 2t..)                                     of D (m, n)
// Products are exact and sums are fp32, in an order that the hardware chooses.
template <core::SmallFloat T>
__device__ void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4],
                             const std::uint32_t (&b)[2]) {
  if constexpr (std::same_as<T, core::bf16>) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}

}  // namespace gpu
