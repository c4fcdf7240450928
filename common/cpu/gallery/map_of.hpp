#pragma once

#include <gpu/tensor_map.hpp>

namespace gallery {

// A row-major packed matrix (rows, columns) in boxes of (box_rows, box_columns).
template <class T>
gpu::TensorMap map_of(const T* base, int rows, int columns, int box_rows, int box_columns,
                      core::SwizzleMode swizzle = core::SwizzleMode::kNone) {
  return gpu::make_tensor_map(
      base, {.rank = 2,
             .size = {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)},
             .stride_bytes = {0, static_cast<std::uint64_t>(columns) * sizeof(T)},
             .box = {static_cast<std::uint32_t>(box_columns), static_cast<std::uint32_t>(box_rows)},
             .swizzle = swizzle});
}

}  // namespace gallery
