#pragma once
// Runs the gallery's kernels on small integers, where every sum is exact, and counts wrong results.

#include "ampere.cuh"
#include "hopper.cuh"
#include "map_of.hpp"
#include "register_a.cuh"
#include "runners.hpp"

#include <core/numeric.hpp>
#include <gpu/host.hpp>
#include <gpu/launch.hpp>
#include <test/device_array.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gallery {

using test::DeviceArray;

inline constexpr unsigned char kUnset = 0xff;  // NaN, where no kernel writes

// -2 .. 2, in an order that repeats neither along rows nor along columns.
template <class T>
std::vector<T> small_integers(int rows, int columns, unsigned seed) {
  std::vector<T> out;
  std::uint32_t state = seed * 2654435761u + 1;
  for (int i = 0; i < rows * columns; ++i) {
    state = state * 1664525u + 1013904223u;
    const float drawn = static_cast<float>(state >> 16 & 0xffff) / 65536 * 5 - 2.5f;
    const float rounded = core::to_float(core::from_float<T>(drawn));
    out.push_back(core::from_float<T>(static_cast<float>(static_cast<int>(rounded + 2.5f)) - 2));
  }
  return out;
}

template <class T, class Out>
std::size_t count_wrong(const std::vector<T>& a, const std::vector<T>& b, const std::vector<Out>& c,
                        const Sizes& sizes) {
  const auto integers = [](const std::vector<T>& values) {
    std::vector<int> out;
    for (const T value : values) out.push_back(static_cast<int>(core::to_float(value)));
    return out;
  };
  const std::vector<int> rows = integers(a), columns = integers(b);
  std::size_t wrong = 0;
  for (int i = 0; i < sizes.m * sizes.n; ++i) {
    const int* row = &rows[static_cast<std::size_t>(i / sizes.n * sizes.k)];
    const int* column = &columns[static_cast<std::size_t>(i % sizes.n * sizes.k)];
    const auto sum = static_cast<float>(std::inner_product(row, row + sizes.k, column, 0));
    const Out result = c[static_cast<std::size_t>(i)];
    if constexpr (sizeof(Out) == 2) {
      wrong += core::to_float(result) != core::to_float(core::from_float<Out>(sum)) ? 1 : 0;
    } else {
      wrong += result != sum ? 1 : 0;
    }
  }
  return wrong;
}

// One problem for the hopper kernel, ready to be launched.
template <Bug bug, int kCluster, class T>
class HopperProblem {
 public:
  explicit HopperProblem(const Sizes& sizes) : sizes_(sizes) {}

  void launch() const {
    constexpr auto kSwizzle = core::SwizzleMode::k128B;
    const auto [m, n, k] = sizes_;
    const auto kernel = hopper_kernel<bug, kCluster, T>;
    const gpu::LaunchShape shape = gpu::launch_shape(
        kernel, {.grid = dim3(tiles(n, kTile), tiles(m, kTile * kCluster) * kCluster),
                 .block = dim3(kHopperThreads),
                 .dynamic_smem = sizeof(HopperShared<T>),
                 .cluster = dim3(1, kCluster)});
    gpu::launch(kernel, shape, nullptr, map_of(device_a_.data(), m, k, kTile, kDepth, kSwizzle),
                map_of(device_b_.data(), n, k, kTile / kCluster, kDepth, kSwizzle),
                map_of(device_c_.data(), m, n, 64, 64, kSwizzle), (k + kDepth - 1) / kDepth);
    gpu::synchronize();
  }
  std::size_t wrong() const { return count_wrong(a_, b_, device_c_.values(), sizes_); }

 private:
  static unsigned tiles(int extent, int tile) {
    return static_cast<unsigned>((extent + tile - 1) / tile);
  }

  Sizes sizes_;
  std::vector<T> a_ = small_integers<T>(sizes_.m, sizes_.k, 1);
  std::vector<T> b_ = small_integers<T>(sizes_.n, sizes_.k, 2);
  DeviceArray<T> device_a_{a_}, device_b_{b_};
  DeviceArray<T> device_c_{static_cast<std::size_t>(sizes_.m) * sizes_.n, kUnset};
};

template <Bug bug, int kCluster, class T>
std::size_t run_hopper(const Sizes& sizes) {
  const HopperProblem<bug, kCluster, T> problem(sizes);
  problem.launch();
  return problem.wrong();
}

template <Bug bug, class T>
std::size_t run_ampere(const Sizes& sizes) {
  const auto a = small_integers<T>(sizes.m, sizes.k, 3), b = small_integers<T>(sizes.n, sizes.k, 4);
  const DeviceArray<T> device_a(a), device_b(b);
  const DeviceArray<T> device_c(static_cast<std::size_t>(sizes.m) * sizes.n, kUnset);
  const auto tiles = [](int value) {
    return static_cast<unsigned>((value + Ampere::kTile - 1) / Ampere::kTile);
  };
  const auto kernel = ampere_kernel<bug, T>;
  const gpu::LaunchShape shape =
      gpu::launch_shape(kernel, {.grid = dim3(tiles(sizes.n), tiles(sizes.m)),
                                 .block = dim3(Ampere::kThreads),
                                 .dynamic_smem = sizeof(AmpereShared<T>)});
  gpu::launch(kernel, shape, nullptr, device_a.data(), device_b.data(), device_c.data(), sizes.m,
              sizes.n, sizes.k);
  gpu::synchronize();
  return count_wrong(a, b, device_c.values(), sizes);
}

template <Bug bug, class T>
std::size_t run_register_a(const Sizes&) {
  const Sizes sizes{64, 64, 16 * kSlices};
  const auto a = small_integers<T>(64, 64, 5), b = small_integers<T>(64, 64, 6);
  const DeviceArray<T> device_a(a), device_b(b);
  const DeviceArray<float> device_d(64 * 64, kUnset);
  gpu::launch(register_a_kernel<bug, T>,
              {.grid = dim3(1), .block = dim3(128), .dynamic_smem = sizeof(RegisterShared<T>)},
              nullptr, device_a.data(),
              map_of(device_b.data(), 64, 64, 64, 16, core::SwizzleMode::k32B), device_d.data());
  gpu::synchronize();
  return count_wrong(a, b, device_d.values(), sizes);
}

}  // namespace gallery
