#pragma once
// Starting a kernel.

#include <gpu/host.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace gpu {

struct LaunchShape {
  dim3 grid;                     // blocks
  dim3 block;                    // threads per block
  std::size_t dynamic_smem = 0;  // bytes, up to 227 KB on Hopper; beyond 48 KB by launch_shape()
  dim3 cluster = dim3(1, 1, 1);  // blocks per cluster (compute capability 9.0)
  bool programmatic = false;     // may start while the grid before it drains (<gpu/grid.hpp>)
  bool planned = false;          // by launch_shape()
};

namespace detail {

inline unsigned blocks(dim3 cluster) {
  return cluster.x * cluster.y * cluster.z;
}

// A LaunchShape as the runtime wants it. `config` points at the attributes beside it, so the object
// stays where it was made.
struct LaunchConfig {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};

  LaunchConfig(const LaunchShape& shape, Stream stream) {
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.dynamic_smem;
    config.stream = stream;
    config.attrs = attributes;
    if (blocks(shape.cluster) > 1) {
      cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
    }
    if (shape.programmatic) {
      cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
      attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attribute.val.programmaticStreamSerializationAllowed = 1;
    }
  }
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;
};

}  // namespace detail

// The shape in which a plan launches the kernel, called once when the plan is made. Beyond 48 KB of
// dynamic shared memory a kernel must have been allowed it on the device. A kernel that is planned
// with several amounts keeps the largest.
template <class... Params>
LaunchShape launch_shape(void (*kernel)(Params...), LaunchShape shape) {
  shape.planned = true;
  if (shape.dynamic_smem <= 48 * 1024) return shape;
  const void* const function = reinterpret_cast<const void*>(kernel);
  const int bytes = static_cast<int>(shape.dynamic_smem);
  cudaFuncAttributes now = {};
  check(cudaFuncGetAttributes(&now, function), "cudaFuncGetAttributes");
  if (now.maxDynamicSharedSizeBytes < bytes) {
    check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
          "cudaFuncSetAttribute");
  }
  return shape;
}

// kernel<<<...>>>(args...), asynchronously on the stream. An empty grid launches nothing. Throws
// core::DeviceError when the launch is rejected; faults while running surface in
// gpu::synchronize().
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), const LaunchShape& shape, Stream stream, Args&&... args) {
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) return;
  const detail::LaunchConfig launch(shape, stream);
  check(
      cudaLaunchKernelEx(&launch.config, kernel, static_cast<Params>(std::forward<Args>(args))...),
      "kernel launch");
}

}  // namespace gpu
