#pragma once
// Starting a kernel.

#include <core/error.hpp>
#include <gpu/host.hpp>

#include <runtime/gang.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace gpu {

struct LaunchShape {
  dim3 grid;                     // blocks
  dim3 block;                    // threads per block
  std::size_t dynamic_smem = 0;  // bytes, up to 227 KB
  dim3 cluster = dim3(1, 1, 1);  // blocks per cluster
  bool programmatic = false;     // may start while the grid before it drains (<gpu/grid.hpp>)
  bool planned = false;          // by launch_shape()
};

// The shape in which a plan launches the kernel, called once when the plan is made. On a GPU the
// kernel is allowed its dynamic shared memory here, which it must be beyond 48 KB.
template <class... Params>
LaunchShape launch_shape(void (*)(Params...), LaunchShape shape) {
  shape.planned = true;
  return shape;
}

// kernel<<<...>>>(args...), finished when this returns. An empty grid launches nothing. Throws
// core::DeviceError when the launch is rejected, for a fault while running, and with the report
// when no thread can move.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), const LaunchShape& shape, Stream, Args&&... args) {
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) return;
  if (shape.dynamic_smem > 48 * 1024 && !shape.planned) {
    throw core::DeviceError(
        "kernel launch: more than 48 KB of dynamic shared memory, and "
        "gpu::launch_shape() has not allowed it");
  }
  // As on the GPU, every thread gets its own copy of the parameters.
  struct Call {
    void (*kernel)(Params...);
    std::tuple<Params...> parameters;
  } call{kernel, std::tuple<Params...>(static_cast<Params>(std::forward<Args>(args))...)};
  runtime::run_grid({.blocks = shape.grid,
                     .threads = shape.block,
                     .cluster = shape.cluster,
                     .dynamic_smem = shape.dynamic_smem,
                     .overlapped = shape.programmatic,
                     .body =
                         [](const void* arguments) {
                           const Call& self = *static_cast<const Call*>(arguments);
                           std::apply(self.kernel, self.parameters);
                         },
                     .arguments = &call});
}

}  // namespace gpu
