#pragma once
// Starting a kernel.

#include <gpu/host.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace gpu {

struct LaunchShape {
  dim3 grid;   // blocks
  dim3 block;  // threads per block
  std::size_t dynamic_smem =
      0;  // bytes, up to 227 KB on Hopper; beyond 48 KB it is opted in to here
  dim3 cluster = dim3(1, 1, 1);  // blocks per cluster (compute capability 9.0)
  bool programmatic = false;     // may start while the grid before it drains (<gpu/grid.hpp>)
};

namespace detail {

inline unsigned blocks(dim3 cluster) {
  return cluster.x * cluster.y * cluster.z;
}

// A LaunchShape as the runtime wants it. `config` points at the attributes beside it, so the object
// stays where it was made. Allows the kernel the dynamic shared memory that the shape asks for.
struct LaunchConfig {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};

  template <class... Params>
  LaunchConfig(void (*kernel)(Params...), const LaunchShape& shape, Stream stream) {
    if (shape.dynamic_smem > 48 * 1024) {
      check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shape.dynamic_smem)),
            "cudaFuncSetAttribute");
    }
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

// kernel<<<...>>>(args...), asynchronously on the stream. An empty grid launches nothing. Throws
// core::DeviceError when the launch is rejected; faults while running surface in
// gpu::synchronize().
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), const LaunchShape& shape, Stream stream, Args&&... args) {
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) return;
  const detail::LaunchConfig launch(kernel, shape, stream);
  check(
      cudaLaunchKernelEx(&launch.config, kernel, static_cast<Params>(std::forward<Args>(args))...),
      "kernel launch");
}

}  // namespace gpu
