#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "kernel.cuh"

#include <gpu/host.hpp>

#include <algorithm>
#include <cstdint>

namespace warp_specialized {

// Tensor maps belong to pointers and sizes, so they live here, and reach the kernel by value.
template <class T, class Config>
struct Plan {
  gpu::TensorMap map_a = {}, map_b = {};
  Output<T> c;
  TileSchedule schedule;
  int k_tiles;
  gpu::LaunchShape shape;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, map_a, map_b, c, schedule, k_tiles);
  }
};

// Whether rows of B can be permuted (its map counts them in groups of 32) and C takes the stores of
// 128 bits that this is for.
inline bool can_permute(const auto& problem) {
  const bool wide = reinterpret_cast<std::uintptr_t>(problem.c) % 16 == 0 && problem.ldc % 8 == 0;
  return problem.n % 32 == 0 && wide;
}

// Persistent blocks for so many tiles, when the device holds `most` at once: no more than it takes
// to be done in as many waves. The others would be idle in the last one, and in the waves before
// they would only draw power that the rest could use. In multiples of 8, if that takes at most one
// wave in 32 longer: then what the blocks compute at a time has the same shape in every wave.
inline unsigned persistent_blocks(unsigned tiles, int most) {
  const auto waves = [&](unsigned blocks) { return (tiles + blocks - 1) / blocks; };
  const unsigned fewest = std::max(1u, waves(static_cast<unsigned>(std::max(1, most))));
  const unsigned blocks = (tiles + fewest - 1) / fewest, rounded = blocks / 8 * 8;
  return rounded > 0 && waves(rounded) <= fewest + fewest / 32 ? rounded : blocks;
}

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  const unsigned blocks = persistent_blocks(tiles, gpu::sm_count());
  Plan<T, Config> plan{
      .c = {g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)},
      .schedule = {gemm::ceil_div(g.m, Config::BM), gemm::ceil_div(g.n, Config::BN)},
      .k_tiles = gemm::ceil_div(g.k, Config::BK),
      .shape = gpu::launch_shape(gemm_kernel<T, Config>,
                                 {.grid = dim3(Config::kPersistent ? blocks : tiles),
                                  .block = dim3(Config::kThreads),
                                  .dynamic_smem = sizeof(SharedStorage<T, Config>)}),
  };
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    plan.map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    plan.map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  return plan;
}

}  // namespace warp_specialized
