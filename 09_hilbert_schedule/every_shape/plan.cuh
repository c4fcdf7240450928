#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "any_plan.hpp"
#include "kernel.cuh"
#include "launch_policy.hpp"
#include "tile_order.hpp"

#include <gemm/epilogue_op.hpp>
#include <gemm/operands.hpp>
#include <gpu/cluster.hpp>
#include <gpu/host.hpp>
#include <gpu/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace every_shape {

inline constexpr int kAnyRows = 1 << 30;  // more than any operand has

// Tensor maps belong to pointers and sizes, so they live here, and reach the kernel by value.
template <class T, class TC, class Config, class Op = gemm::Identity>
struct Plan {
  typename Config::TileA::Map map_a = {};
  typename Config::TileB::Map map_b = {};
  Output<TC> c;
  KernelParams params;
  int tiles = 0;                 // of clusters
  int lock_step_from = 1 << 30;  // k-tiles of a block in whole waves: there are never so many
  Op epilogue_op;
  gpu::LaunchShape shape;

  // Has the tiles distributed over up to so many clusters. By split-K each has one tile, and also
  // where K is 0: a consumer's accumulators are zeros until its first MMA.
  void assign_to(unsigned clusters) {
    params.schedule.tile_from_grid = false;
    if (Config::kSplitK > 1 || params.k_tiles == 0) clusters = static_cast<unsigned>(tiles);
    if constexpr (Config::kStreamK) {
      params.shares = StreamKShares(tiles, params.k_tiles, static_cast<int>(clusters));
      clusters = static_cast<unsigned>(params.shares.clusters);
    }
    shape.grid = dim3(clusters * Config::kClusterSize);
    params.lock_step = {};
    if (static_cast<unsigned>(tiles) <= clusters) return;
    // As long as all have tiles; no longer than a few seconds.
    const auto waves = static_cast<std::int64_t>(static_cast<unsigned>(tiles) / clusters);
    const auto k_tiles = std::min<std::int64_t>(waves * params.k_tiles, 1 << 22);
    if (k_tiles < lock_step_from) return;
    const auto periods = static_cast<int>(k_tiles) / kLockStepPeriod<Config>;
    params.lock_step = {periods * kLockStepPeriod<Config>,
                        static_cast<unsigned>(periods) * clusters};
  }
  // Bytes that a launch needs to itself, aligned to 16: 0 before the first, and every launch leaves
  // them so that the next can have them, of this plan or of another.
  std::size_t workspace_bytes() const {
    const auto parts = static_cast<std::size_t>(params.shares.rest * (params.shares.parts - 1));
    if (parts == 0) return params.lock_step.arrivals == 0 ? 0 : StreamKWorkspace::kFirstResult;
    return StreamKWorkspace::kFirstResult +
           parts * Config::kClusterSize * Config::BM * Config::BN * sizeof(float);
  }
  // The same for operands elsewhere. Throws core::Refused where they are aligned to less than those
  // that the plan was made for.
  void move_to(Addresses to) {
    if (shape.grid.x == 0) return;
    const auto require = [](const char* name, const void* address, std::size_t multiple) {
      if (reinterpret_cast<std::uintptr_t>(address) % multiple == 0) return;
      throw core::Refused(std::string(kName) + ": the plan is for an address of " + name +
                          " that is a multiple of " + std::to_string(multiple) + " bytes");
    };
    require("c", to.c, Config::kStore == Store::kTma ? 16 : c.width * sizeof(TC));
    if (params.k_tiles > 0) {
      require("a", to.a, 16);
      require("b", to.b, 16);
      if (Config::kTransposed) std::swap(to.a, to.b);
      Config::TileA::replace_address(map_a, to.a);
      Config::TileB::replace_address(map_b, to.b);
    }
    c.data = static_cast<TC*>(to.c);
    if (Config::kStore == Store::kTma) gpu::replace_address(c.map, to.c);
    if constexpr (Op::kReadsColumn) epilogue_op.column = static_cast<const T*>(to.bias);
  }
  void run(gpu::Stream stream, void* workspace = nullptr) const {
    KernelParams with_workspace = params;
    with_workspace.workspace.memory = workspace;
    gpu::launch(gemm_kernel<T, TC, Config, Op>, shape, stream, with_workspace, c, map_a, map_b,
                epilogue_op);
  }
};

// Rows of tiles in a group where so many clusters take several waves, unless the policy says it.
template <class Config>
int group_rows_of(const LaunchPolicy& policy, unsigned clusters, int tiles_m, int tiles_n, int k) {
  constexpr int BM = Config::CM * Config::BM, BN = Config::CN * Config::BN;
  if (policy.group_rows != 0) return policy.group_rows;
  const double row_bytes = 2.0 * k;
  const TileGrid grid{.tiles_m = tiles_m,
                      .tiles_n = tiles_n,
                      .row_bytes = BM * row_bytes,
                      .col_bytes = BN * row_bytes,
                      .multiply_adds = 1.0 * BM * BN * k,
                      .stored_rows = Config::kTransposed ? BN : BM,
                      .transposed = Config::kTransposed};
  return group_rows(grid, clusters, Config::Cluster::kMulticast,
                    static_cast<std::int64_t>(gpu::l2_bytes()));
}

// In one wave, where all tiles are under way together.
template <class Config>
TileSchedule one_wave_schedule(const LaunchPolicy& policy, int tiles_m, int tiles_n) {
  using enum Rasterization;
  constexpr int CM = Config::CM, CN = Config::CN;
  if (!policy.gpc_local) return {tiles_m, tiles_n, kRows, 1};
  if constexpr (!Config::Cluster::kMulticast) {
    return {tiles_m, tiles_n, kSnake, gpc_local_rows(tiles_m, tiles_n, Config::BM, Config::BN)};
  }
  if constexpr (CM > 1 && CN > 1) {  // all loads are multicast, and nothing is merged
    return {tiles_m, tiles_n, CM > CN ? kColumns : kRows, 1};
  }
  if constexpr (Config::kSharesOnlyA) {
    return {tiles_n, tiles_m, kSnake, gpc_local_rows_of_clusters(tiles_n), true};
  }
  return {tiles_m, tiles_n, kSnake, gpc_local_rows_of_clusters(tiles_m)};
}

// Operands of a Config that is Transposed: B, A and C^T.
template <class T, class Config, class Op = gemm::Identity, class TC = T>
Plan<T, TC, Config, Op> prepare(const gemm::Operands<T, TC>& g, const LaunchPolicy& policy,
                                const Op& op = {}) {
  constexpr int BM = Config::CM * Config::BM, BN = Config::CN * Config::BN;
  gpu::require_wgmma(kName);
  // In units of clusters, of which those at the edges may be partly outside.
  const unsigned tiles = gemm::tile_count(g.m, g.n, BM, BN, kName);
  const int tiles_m = gemm::ceil_div(g.m, BM), tiles_n = gemm::ceil_div(g.n, BN);
  Plan<T, TC, Config, Op> plan{
      .c = {g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0), gpu::kEvictNormal, {}},
      .params = {.schedule = {},
                 .k_tiles = gemm::ceil_div(g.k, Config::BK),
                 .last_a = Config::TileA::last_box(policy.trim_boxes ? g.m : kAnyRows),
                 .last_b = Config::TileB::last_box(policy.trim_boxes ? g.n : kAnyRows),
                 .reverse_k = policy.reverse_k,
                 .prefetch_k_tiles = 0,
                 .shares = {},
                 .lock_step = {},
                 .workspace = {}},
      .tiles = static_cast<int>(tiles),
      .epilogue_op = op,
      .shape = gpu::launch_shape(gemm_kernel<T, TC, Config, Op>,
                                 {.grid = dim3(0),
                                  .block = dim3(Config::kThreads),
                                  .dynamic_smem = sizeof(SharedStorage<T, Config>),
                                  .cluster = dim3(Config::kClusterSize),
                                  .programmatic = policy.programmatic}),
  };
  const int held = gpu::max_active_clusters(gemm_kernel<T, TC, Config, Op>, plan.shape);
  const unsigned clusters = Config::kStreamK ? static_cast<unsigned>(std::max(1, held))
                                             : persistent_clusters(tiles, held, policy.whole_waves);
  // With fewer k-tiles it saves nothing. With fewer multiply-adds for each element of A, B and C
  // the launch waits for DRAM or the L2, which would idle meanwhile; with some more it takes a
  // while until blocks are out of step (notebook.md#in-step).
  const double m = g.m, n = g.n, k = g.k, intensity = m * n * k / (m * k + n * k + m * n);
  if (kMayLockStep<Config> && policy.lock_step && plan.params.k_tiles >= 16 && intensity >= 400)
    plan.lock_step_from = intensity >= 850 ? 1 : 96;
  plan.assign_to(clusters);
  if (tiles == 0) return plan;
  if (policy.programmatic) {
    const std::int64_t k_tile_bytes = (g.m + std::int64_t{g.n}) * Config::BK * sizeof(T);
    const auto k_tiles = std::max<std::int64_t>(1, kPrefetchBytes / k_tile_bytes);
    plan.params.prefetch_k_tiles = static_cast<int>(k_tiles);
  }

  if (policy.evict_c_first) plan.c.policy = gpu::kEvictFirst;

  using enum Rasterization;
  const bool grouped = policy.rasterization == kGroups || policy.rasterization == kSnake;
  const bool one_wave = grouped && tiles <= clusters;
  TileSchedule& schedule = plan.params.schedule;
  schedule = one_wave && policy.group_rows == 0
                 ? one_wave_schedule<Config>(policy, tiles_m, tiles_n)
                 : TileSchedule(tiles_m, tiles_n, policy.rasterization,
                                group_rows_of<Config>(policy, clusters, tiles_m, tiles_n, g.k));
  if (kMayTakeTileFromGrid<Config> && one_wave && tiles_m % schedule.group_rows == 0) {
    schedule.tile_from_grid = true;
    plan.shape.grid =
        dim3(schedule.group_rows * Config::kClusterSize, tiles_n, tiles_m / schedule.group_rows);
  }
  if constexpr (Config::kStore == Store::kTma) {
    const auto rows = static_cast<std::uint64_t>(Config::kTransposed ? g.n : g.m);
    const auto cols = static_cast<std::uint64_t>(Config::kTransposed ? g.m : g.n);
    plan.c.map = gpu::make_tensor_map(
        g.c, {.rank = 2,
              .size = {cols, rows},
              .stride_bytes = {0, static_cast<std::uint64_t>(g.ldc) * sizeof(T)},
              .box = {Config::kTransposed ? 64 : Config::kBox.cols,
                      Config::kTransposed ? Config::kBox.cols : 64},
              .swizzle = kBoxSwizzle<Config>});
  }
  if (g.k > 0) {  // there is no map of nothing
    const auto promote = [&](int loaders, std::int64_t rows) {
      const auto bytes = rows * g.k * static_cast<int>(sizeof(T));
      return policy.promote && loaders == 1 && promotion_pays(bytes, gpu::dram_bytes_per_second());
    };
    plan.map_a = Config::TileA::map(g.a, g.lda, g.m, g.k, promote(tiles_n, g.m));
    plan.map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k, promote(tiles_m, g.n));
  }
  return plan;
}

}  // namespace every_shape
