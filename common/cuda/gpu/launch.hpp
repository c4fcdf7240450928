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
};

// kernel<<<...>>>(args...), asynchronously on the stream. An empty grid launches nothing. Throws
// core::DeviceError when the launch is rejected; faults while running surface in
// gpu::synchronize().
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), const LaunchShape& shape, Stream stream, Args&&... args) {
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) return;
  if (shape.dynamic_smem > 48 * 1024) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.dynamic_smem)),
          "cudaFuncSetAttribute");
  }
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.dynamic_smem;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = shape.cluster.x * shape.cluster.y * shape.cluster.z > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(std::forward<Args>(args))...),
        "kernel launch");
}

}  // namespace gpu
