#pragma once
// Tensor maps of the cases that copy by TMA.

#include <gpu/tensor_map.hpp>

namespace words {

template <class T>
gpu::TensorMap map_of(const void* data, const core::TensorMapShape& shape) {
  return gpu::make_tensor_map(static_cast<const T*>(data), shape);
}

// Of a matrix with `columns` elements to a row, rows without padding.
template <class T>
gpu::TensorMap map_of_rows(const void* data, unsigned columns, unsigned rows, unsigned box_columns,
                           unsigned box_rows,
                           core::SwizzleMode swizzle = core::SwizzleMode::kNone) {
  core::TensorMapShape shape;
  shape.size = {columns, rows};
  shape.stride_bytes = {sizeof(T), columns * sizeof(T)};
  shape.box = {box_columns, box_rows};
  shape.swizzle = swizzle;
  return map_of<T>(data, shape);
}

}  // namespace words
