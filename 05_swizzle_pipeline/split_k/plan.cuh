#pragma once
// From a problem to launches, and the workspace of the splits.

#include "kernel.cuh"

#include <gemm/launch_plan.hpp>
#include <gpu/host.hpp>

#include <algorithm>
#include <memory>
#include <tuple>

namespace split_k {

// Launches, one after the other, and the workspace of the splits.
template <class... Launches>
struct Plan {
  std::shared_ptr<void> memory;
  std::tuple<Launches...> launches;

  void run(gpu::Stream stream) const {
    std::apply([&](const auto&... launch) { (launch.run(stream), ...); }, launches);
  }
};

template <class... Launches>
Plan(std::shared_ptr<void>, std::tuple<Launches...>) -> Plan<Launches...>;

// Of so many splits of K, those that have something to do: no more than there are k-tiles. And no
// more than gridDim.y can hold.
template <class Config>
int clamp_splits(int splits, int k) {
  return std::clamp(splits, 1, std::clamp(gemm::ceil_div(k, Config::BK), 1, 65535));
}

template <class T, class Config>
gpu::LaunchShape shape_of(const gemm::Operands<T>& g, int splits) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return {.grid = dim3(tiles, static_cast<unsigned>(splits)),
          .block = dim3(Config::kThreads),
          .dynamic_smem = sizeof(SharedStorage<T, Config>)};
}

// Each split multiplies into a matrix of its own, a second kernel adds these up.
template <class T, class Config>
auto prepare(const gemm::Operands<T>& g, int splits) {
  splits = clamp_splits<Config>(splits, g.k);
  const auto results = static_cast<std::size_t>(g.m) * static_cast<std::size_t>(g.n);
  const auto blocks =
      std::min((results + kReduceThreads - 1) / kReduceThreads, std::size_t{1} << 30);
  const std::size_t bytes = static_cast<std::size_t>(splits) * results * sizeof(float);
  std::shared_ptr<void> memory(gpu::allocate(bytes), gpu::release);
  auto* const partials = static_cast<float*>(memory.get());
  return Plan{memory,
              std::tuple{gemm::launch_plan(gemm_kernel<T, Config>, shape_of<T, Config>(g, splits),
                                           g, partials, g.n % 4 == 0),
                         gemm::launch_plan(reduce_kernel<T>,
                                           {.grid = dim3(static_cast<unsigned>(blocks)),
                                            .block = dim3(kReduceThreads)},
                                           g, partials, splits)}};
}

// One launch.
template <class T, class Config>
auto prepare_fused(const gemm::Operands<T>& g, int splits) {
  splits = clamp_splits<Config>(splits, g.k);
  const auto shape = shape_of<T, Config>(g, splits);
  const auto partials = static_cast<std::size_t>(shape.grid.x) * static_cast<std::size_t>(splits) *
                        (Config::BM * Config::BN);
  const std::size_t counter_bytes = shape.grid.x * sizeof(int);
  std::shared_ptr<void> memory(gpu::allocate(partials * sizeof(float) + counter_bytes),
                               gpu::release);
  auto* const data = static_cast<float*>(memory.get());
  auto* const arrived = reinterpret_cast<int*>(data + partials);
  gpu::fill_bytes(arrived, 0, counter_bytes);
  gpu::synchronize();  // before a launch in any stream; no later one needs it
  return Plan{memory, std::tuple{gemm::launch_plan(
                          fused_kernel<T, Config>, shape, g, Workspace{data, arrived},
                          gemm::widest_access(g.c, g.ldc, 0) >= Config::kStoreWidth)}};
}

}  // namespace split_k
