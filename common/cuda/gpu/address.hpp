#pragma once
// Pointers as PTX instructions want them. Kernels hold ordinary pointers throughout; only the
// intrinsics in this folder convert.

#include <cstdint>

namespace gpu::detail {

// A pointer into shared memory as the 32-bit address of the .shared forms. It lies in the window of
// this block, which is part of the cluster's: .shared::cluster operands take it too.
__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// A pointer into global memory as the 64-bit address of the .global forms.
__device__ inline std::uint64_t global_address(const void* pointer) {
  return __cvta_generic_to_global(pointer);
}

}  // namespace gpu::detail
