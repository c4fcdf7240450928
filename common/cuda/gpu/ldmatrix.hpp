#pragma once
// Moving 8x8 matrices of 16-bit elements between shared memory and the registers of a warp, in the
// distribution that mma and wgmma use: after ldmatrix, lane i holds of each matrix the elements
// (i / 4, 2 * (i % 4)) and (i / 4, 2 * (i % 4) + 1), the first in the low half of its register.
//
// All 32 lanes must call together; the result is undefined otherwise. Lane i supplies the address
// of row i % 8 (16 bytes, a multiple of 16) of matrix i / 8; lanes from 8 * N on are not looked at.
// The _trans forms transpose each matrix on its way.

#include <gpu/address.hpp>

#include <cstdint>

namespace gpu {

// PTX ldmatrix.sync.aligned.m8n8.x1, .x2 or .x4 (compute capability 7.5).
template <int N>
__device__ void ldmatrix(std::uint32_t (&out)[N], const void* row) {
  static_assert(N == 1 || N == 2 || N == 4, "ldmatrix loads 1, 2 or 4 matrices");
  const std::uint32_t address = detail::shared_address(row);
  if constexpr (N == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(out[0])
                 : "r"(address)
                 : "memory");
  } else if constexpr (N == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(out[0]), "=r"(out[1])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address)
                 : "memory");
  }
}

// PTX ldmatrix.sync.aligned.m8n8.xN.trans: lane i gets (2 * (i % 4), i / 4) and the element below.
template <int N>
__device__ void ldmatrix_trans(std::uint32_t (&out)[N], const void* row) {
  static_assert(N == 1 || N == 2 || N == 4, "ldmatrix loads 1, 2 or 4 matrices");
  const std::uint32_t address = detail::shared_address(row);
  if constexpr (N == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(out[0])
                 : "r"(address)
                 : "memory");
  } else if constexpr (N == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(out[0]), "=r"(out[1])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address)
                 : "memory");
  }
}

// PTX stmatrix.sync.aligned.m8n8.x1, .x2 or .x4 (compute capability 9.0): the way back.
template <int N>
__device__ void stmatrix(void* row, const std::uint32_t (&in)[N]) {
  static_assert(N == 1 || N == 2 || N == 4, "stmatrix stores 1, 2 or 4 matrices");
  const std::uint32_t address = detail::shared_address(row);
  if constexpr (N == 1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(in[0])
                 : "memory");
  } else if constexpr (N == 2) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address),
                 "r"(in[0]), "r"(in[1])
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                 "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3])
                 : "memory");
  }
}

// PTX stmatrix.sync.aligned.m8n8.xN.trans.
template <int N>
__device__ void stmatrix_trans(void* row, const std::uint32_t (&in)[N]) {
  static_assert(N == 1 || N == 2 || N == 4, "stmatrix stores 1, 2 or 4 matrices");
  const std::uint32_t address = detail::shared_address(row);
  if constexpr (N == 1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(address),
                 "r"(in[0])
                 : "memory");
  } else if constexpr (N == 2) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address),
                 "r"(in[0]), "r"(in[1])
                 : "memory");
  } else {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
        "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3])
        : "memory");
  }
}

}  // namespace gpu
