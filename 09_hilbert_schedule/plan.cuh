#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "hilbert.hpp"
#include "kernel.cuh"

#include <gpu/cluster.hpp>
#include <gpu/host.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace hilbert_schedule {

// Tensor maps belong to pointers and sizes, so they live here, and reach the kernel by value.
template <class T, class Config>
struct Plan {
  gpu::TensorMap map_a = {}, map_b = {}, map_c = {};
  Output<T> c;
  TileSchedule schedule;
  int k_tiles;
  gpu::LaunchShape shape;
  std::shared_ptr<void> order;  // what the schedule points to

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, map_a, map_b, c, schedule, k_tiles, map_c);
  }
};

// Whether rows of B can be permuted (its map counts them in groups of 32) and C takes the stores of
// 128 bits that this is for.
inline bool can_permute(const auto& problem) {
  const bool wide = reinterpret_cast<std::uintptr_t>(problem.c) % 16 == 0 && problem.ldc % 8 == 0;
  return problem.n % 32 == 0 && wide;
}

// Whether TMA can store C: it wants addresses and distances of rows in multiples of 16 bytes, the
// latter less than 2^40, and cuts boxes at the end of a row to such a multiple.
inline bool can_store_by_tma(const auto& problem) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(problem.c) % 16 == 0;
  const bool distance = problem.ldc % 8 == 0 && problem.ldc < std::int64_t{1} << 39;
  return aligned && distance && problem.n % 8 == 0;
}

// The order of tiles, and whether every second tile of a block is walked from the end of K.
//   kHilbert   along a Hilbert curve
//   kSnake     groups of 16 rows of tiles, column by column, every second group from the right
//   kRowMajor  row by row
enum class Order { kHilbert, kSnake, kRowMajor };
struct LaunchPolicy {
  Order order = Order::kHilbert;
  bool reverse_k = true;
};

inline std::vector<TileCoord> ordered_tiles(Order order, int tiles_m, int tiles_n) {
  if (order == Order::kHilbert) return hilbert_curve(tiles_m, tiles_n);
  const int group_rows = order == Order::kSnake ? 16 : 1;
  std::vector<TileCoord> tiles;
  for (int first = 0; first < tiles_m; first += group_rows) {
    const bool from_right = order == Order::kSnake && first / group_rows % 2 != 0;
    for (int i = 0; i < tiles_n; ++i) {
      const int col = from_right ? tiles_n - 1 - i : i;
      for (int row = first; row < std::min(first + group_rows, tiles_m); ++row) {
        tiles.push_back({row, col});
      }
    }
  }
  return tiles;
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
Plan<T, Config> prepare(const gemm::Operands<T>& g, const LaunchPolicy& policy = {}) {
  constexpr int BM = Config::CM * Config::BM, BN = Config::CN * Config::BN;  // of a cluster
  const unsigned tiles = gemm::tile_count(g.m, g.n, BM, BN, kName);
  Plan<T, Config> plan{
      .c = {g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)},
      .schedule = {gemm::ceil_div(g.m, BM), gemm::ceil_div(g.n, BN), nullptr, policy.reverse_k},
      .k_tiles = gemm::ceil_div(g.k, Config::BK),
      .shape = gpu::launch_shape(gemm_kernel<T, Config>,
                                 {.grid = dim3(0),
                                  .block = dim3(Config::kThreads),
                                  .dynamic_smem = sizeof(SharedStorage<T, Config>),
                                  .cluster = dim3(Config::Cluster::kSize)}),
      .order = {},
  };
  const int most = gpu::max_active_clusters(gemm_kernel<T, Config>, plan.shape);
  plan.shape.grid = dim3(persistent_blocks(tiles, most) * Config::Cluster::kSize);
  if (tiles > 0 && Config::kStore != Store::kDirect) {
    const auto order = ordered_tiles(policy.order, plan.schedule.tiles_m, plan.schedule.tiles_n);
    const std::size_t bytes = order.size() * sizeof(TileCoord);
    plan.order = {gpu::allocate(bytes), gpu::release};
    gpu::copy_to_device(plan.order.get(), order.data(), bytes);
    plan.schedule.order = static_cast<const TileCoord*>(plan.order.get());
    plan.map_c = gpu::make_tensor_map(
        g.c, {.rank = 2,
              .size = {static_cast<std::uint64_t>(g.n), static_cast<std::uint64_t>(g.m)},
              .stride_bytes = {0, static_cast<std::uint64_t>(g.ldc) * sizeof(T)},
              .box = {64, 64},
              .swizzle = core::SwizzleMode::k128B});
  }
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    plan.map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    plan.map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  return plan;
}

}  // namespace hilbert_schedule
