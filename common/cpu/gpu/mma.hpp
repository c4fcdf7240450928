#pragma once
// Tensor cores the Ampere way (PTX mma.sync.m16n8k16, compute capability 8.0).

#include <runtime/builtins.hpp>
#include <runtime/collectives.hpp>

#include <core/numeric.hpp>

#include <concepts>

namespace gpu {

// d (16 x 8) += a (16 x 16) * b (16 x 8), spread over the warp; all 32 lanes call. Registers hold
// two elements, the lower column (a) or row (b) in the low half. With g = lane / 4, t = lane % 4:
//   a[0], a[1]: rows g, g + 8 of columns 2t, 2t + 1;  a[2], a[3]: the same of columns 2t + 8, + 9
//   b[0], b[1]: rows 2t, 2t + 1 and 2t + 8, 2t + 9 of column g
//   d[0], d[1]: columns 2t, 2t + 1 of row g;  d[2], d[3]: of row g + 8
template <core::SmallFloat T>
void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                  Site where = Site::current()) {
  runtime::multiply_m16n8k16(d, a, b, std::same_as<T, core::bf16>, where);
}

}  // namespace gpu
