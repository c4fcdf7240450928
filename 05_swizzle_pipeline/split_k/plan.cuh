#pragma once
// From a problem to launches, and the memory in which splits meet.

#include "kernel.cuh"

#include <core/error.hpp>
#include <gpu/host.hpp>
#include <gpu/launch.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

namespace split_k {

// Each split multiplies into a matrix of its own, a second kernel adds these up.
template <class T, class Config>
struct Plan {
  gemm::Operands<T> operands;
  std::shared_ptr<void> workspace;
  int splits;
  gpu::LaunchShape shape, reduce_shape;

  void run(gpu::Stream stream) const {
    auto* const sums = static_cast<float*>(workspace.get());
    gpu::launch(gemm_kernel<T, Config>, shape, stream, operands, sums, operands.n % 4 == 0);
    gpu::launch(reduce_kernel<T>, reduce_shape, stream, operands, sums, splits);
  }
};

// One launch.
template <class T, class Config>
struct FusedPlan {
  gemm::Operands<T> operands;
  std::shared_ptr<void> memory;
  Workspace workspace;
  gpu::LaunchShape shape;
  bool vector_stores;

  void run(gpu::Stream stream) const {
    gpu::launch(fused_kernel<T, Config>, shape, stream, operands, workspace, vector_stores);
  }
};

// Of so many splits of K, those that have something to do: no more than there are k-tiles. And no
// more than gridDim.y can hold.
template <class Config>
int clamp_splits(int splits, int k) {
  return std::clamp(splits, 1, std::clamp(gemm::ceil_div(k, Config::BK), 1, 65535));
}

// Blocks of the reduction. Throws core::Refused beyond what gridDim.x can hold.
inline unsigned reduce_blocks(int m, int n) {
  const int64_t blocks = (static_cast<int64_t>(m) * n + kReduceThreads - 1) / kReduceThreads;
  if (blocks > std::numeric_limits<std::int32_t>::max()) {
    throw core::Refused(std::string(kName) + ": " + std::to_string(blocks) +
                        " blocks of the reduction exceed the largest grid (2147483647 blocks)");
  }
  return static_cast<unsigned>(blocks);
}

template <class T, class Config>
gpu::LaunchShape shape_of(const gemm::Operands<T>& g, int splits) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return {.grid = dim3(tiles, static_cast<unsigned>(splits)),
          .block = dim3(Config::kThreads),
          .dynamic_smem = sizeof(SharedStorage<T, Config>)};
}

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g, int splits) {
  splits = clamp_splits<Config>(splits, g.k);
  const unsigned blocks = reduce_blocks(g.m, g.n);
  const auto shape = gpu::launch_shape(gemm_kernel<T, Config>, shape_of<T, Config>(g, splits));
  const std::size_t results = static_cast<std::size_t>(g.m) * static_cast<std::size_t>(g.n);
  const std::size_t bytes = static_cast<std::size_t>(splits) * results * sizeof(float);
  return {g,
          std::shared_ptr<void>(gpu::allocate(bytes), gpu::release),
          splits,
          shape,
          {.grid = dim3(blocks), .block = dim3(kReduceThreads)}};
}

template <class T, class Config>
FusedPlan<T, Config> prepare_fused(const gemm::Operands<T>& g, int splits) {
  splits = clamp_splits<Config>(splits, g.k);
  const auto shape = gpu::launch_shape(fused_kernel<T, Config>, shape_of<T, Config>(g, splits));
  const auto sums = static_cast<std::size_t>(shape.grid.x) * static_cast<std::size_t>(splits) *
                    (Config::BM * Config::BN);
  const std::size_t counter_bytes = shape.grid.x * sizeof(int);
  std::shared_ptr<void> memory(gpu::allocate(sums * sizeof(float) + counter_bytes), gpu::release);
  auto* const data = static_cast<float*>(memory.get());
  auto* const arrived = reinterpret_cast<int*>(data + sums);
  gpu::fill_bytes(arrived, 0, counter_bytes);
  gpu::synchronize();  // before a launch in any stream; no later one needs it
  return {
      g, memory, {data, arrived}, shape, gemm::widest_access(g.c, g.ldc, 0) >= Config::kStoreWidth};
}

}  // namespace split_k
