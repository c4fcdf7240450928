#pragma once
// All device intrinsics, what kernels of several files share, and tensor maps.

#include "intrinsics.hpp"

#include <core/numeric.hpp>
#include <gpu/clock.hpp>
#include <gpu/cluster.hpp>
#include <gpu/cp_async.hpp>
#include <gpu/global.hpp>
#include <gpu/grid.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/mma.hpp>
#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <algorithm>
#include <bit>

namespace intrinsics {

// By all threads of the block.
__device__ inline void copy(std::uint32_t* to, const std::uint32_t* from, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

// By thread 0; a barrier of all who use it must follow.
__device__ inline void init(gpu::Mbarrier& barrier, unsigned arrivals) {
  if (threadIdx.x != 0) return;
  barrier.init(arrivals);
  gpu::fence_mbarrier_init();
}

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

}  // namespace intrinsics
