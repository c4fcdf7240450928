#pragma once
// A plan of one launch.

#include <gpu/launch.hpp>

#include <tuple>

namespace gemm {

// One kernel, launched with the same parameters in every run.
template <class... Params>
struct LaunchPlan {
  void (*kernel)(Params...);
  gpu::LaunchShape shape;
  std::tuple<Params...> params;

  void run(gpu::Stream stream) const {
    std::apply([&](const auto&... all) { gpu::launch(kernel, shape, stream, all...); }, params);
  }
};

template <class... Params, class... Args>
LaunchPlan<Params...> launch_plan(void (*kernel)(Params...), const gpu::LaunchShape& shape,
                                  const Args&... args) {
  return {kernel, gpu::launch_shape(kernel, shape), {args...}};
}

}  // namespace gemm
