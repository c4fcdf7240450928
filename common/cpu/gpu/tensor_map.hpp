#pragma once
// What TMA needs to know of a tensor in global memory, prepared by the host.

#include <runtime/copies.hpp>

#include <core/modes.hpp>
#include <core/numeric.hpp>

#include <concepts>

namespace gpu {

// Passed to kernels as `const __grid_constant__ gpu::TensorMap`.
using TensorMap = runtime::TensorMap;

// Throws core::Refused when a rule of core/modes.hpp is broken.
template <class T>
TensorMap make_tensor_map(const T* base, const core::TensorMapShape& shape) {
  static_assert(std::same_as<T, core::bf16> || std::same_as<T, core::fp16> ||
                std::same_as<T, float>);
  core::require_valid(shape, base, sizeof(T));
  return {shape, reinterpret_cast<std::byte*>(const_cast<T*>(base)), sizeof(T)};
}

// Moves the map to a tensor of the same shape at `base`, a multiple of 16 bytes.
inline void replace_address(TensorMap& map, const void* base) {
  core::require_valid(map.shape, base, map.element_bytes);
  map.base = static_cast<std::byte*>(const_cast<void*>(base));
}

}  // namespace gpu
