// Plans: rasterization, groups, blocks, boxes, and what the L2 is asked for.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "plan.cuh"

#include <gemm/inputs.hpp>
#include <test/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

using namespace every_shape;
using enum Rasterization;

TEST_CASE("every_shape: what DRAM brings of tiles in several waves") {
  // 8 x 4 tiles, 4 at a time; A has 8 x 10 bytes, B 4 x 100.
  const TileGrid grid{8, 4, 10, 100, 0};
  const auto all = [&](int rows, double l2_bytes) {
    return 32 * dram_bytes(grid, rows, 4, l2_bytes);
  };
  // Room for everything: once. Each wave one row and all columns, or four rows and a column.
  for (const int rows : {1, 2, 4, 8}) CHECK(all(rows, 1000) == Approx(480));
  // Room for nothing: a row and four columns in each of eight waves; four rows and a column.
  CHECK(all(1, 0) == Approx(8 * 410));
  CHECK(all(4, 0) == Approx(8 * 140));
  CHECK(all(2, 0) == Approx(8 * 220));
  CHECK(all(8, 0) == Approx(8 * 140));  // a column in two waves
  // Row by row, B comes again in every wave: backwards, so that the L2 has what it kept of the
  // 400 + 2 x 10 bytes of the last wave and this one.
  CHECK(all(1, 210) == Approx(80 + 400 + 7 * 400 * 0.5));
  // In groups of four rows, A comes again within a group and the last column in the next.
  CHECK(all(4, 60) == Approx(80 + 400 + 6 * 40 * (1 - 60 / 240.) + 300 + 100 * (1 - 60 / 180.)));
  // Two waves ago in the same direction: all of it or nothing.
  CHECK(32 * dram_bytes({8, 4, 100, 10, 0}, 8, 4, 1000) == Approx(840));
  const auto by_columns = [&](double l2_bytes) {
    return 32 * dram_bytes({8, 4, 100, 10, 0}, 8, 4, l2_bytes);
  };
  CHECK(by_columns(840) == Approx(840));
  CHECK(by_columns(400) > 2000);
  // Where waves cut rows of C of which a tile has 7. By rows and by columns of tiles; in groups.
  const auto cuts = [&](int rows, bool transposed) {
    const TileGrid stored{8, 4, 10, 100, 0, 7, transposed};
    return 32 * sum_of_waves(stored, rows, 4, 0, [](double, double cut) { return cut; });
  };
  CHECK(cuts(1, false) == 0);
  CHECK(cuts(1, true) == 7 * 4 * (1 + 6 * 2 + 1));
  CHECK(cuts(4, true) == 7 * 8 * 1);
  CHECK(cuts(4, false) == 7 * 4 * 2 * (1 + 2 + 2 + 1));
  CHECK(cuts(8, true) == 0);  // a column in two waves: only what a group leaves out counts
  CHECK(cuts(8, false) == 7 * 4 * 2 * (1 + 2 + 2 + 1));
  // Long problems go on as they began.
  CHECK(dram_bytes({100000, 1, 10, 0, 0}, 6, 132, 50) == Approx(10));
}

TEST_CASE("every_shape: how many rows of tiles make a group") {
  const auto rows = [](int tiles_m, int tiles_n, double row_bytes, double col_bytes,
                       bool multicast = false, double multiply_adds = 1000) {
    const auto tiles = static_cast<unsigned>(tiles_m * tiles_n);
    const unsigned clusters = persistent_clusters(tiles, multicast ? 66 : 132, true);
    return group_rows({tiles_m, tiles_n, row_bytes, col_bytes, multiply_adds}, clusters, multicast,
                      50 << 20);
  };
  constexpr double kMiB = 1 << 20;
  // All fits into the L2: as 16 blocks, of which no group need begin with the first, share most.
  CHECK(rows(60, 30, 0.1 * kMiB, 0.1 * kMiB) == 4);
  CHECK(rows(60, 30, 0.1 * kMiB, 0.3 * kMiB) == 7);
  CHECK(rows(60, 4, 0.1 * kMiB, 0.1 * kMiB) == 1);  // four rows of four
  constexpr double k4096 = 128. * 128 * 4096;
  CHECK(rows(64, 30, 0.1 * kMiB, 0.1 * kMiB, true, k4096) == 16);
  CHECK(rows(17, 30, 0.1 * kMiB, 0.1 * kMiB, true, k4096) == 9);
  CHECK(rows(5, 300, 0.1 * kMiB, 0.1 * kMiB, true) == 5);
  // Few columns, which stay in the L2 while all of A passes: in low groups. (In groups of 32 each
  // wave would load two columns, and A would come three times.)
  CHECK(rows(32, 6, 4 * kMiB, 3.6 * kMiB, true) <= 4);
  // Few rows, which stay while all of B passes: one group.
  CHECK(rows(11, 47, 2 * kMiB, 2.75 * kMiB) == 11);
  // Neither fits: squares.
  CHECK(rows(64, 32, 2 * kMiB, 4 * kMiB) >= 8);
  CHECK(rows(64, 32, 2 * kMiB, 4 * kMiB) <= 16);
  // What takes long anyway is not worth a little.
  CHECK(rows(12, 11, 1.4 * kMiB, 1.5 * kMiB, true) == 1);
  CHECK(rows(12, 11, 1.4 * kMiB, 1.5 * kMiB, true, 256. * 272 * 2928) == 12);
  // Whole columns: 6 is no divisor of 128 clusters.
  constexpr double kLong = 128. * 256 * 16384;
  CHECK(rows(32, 16, 3.5 * kMiB, 7 * kMiB, false, kLong) == 4);
}

TEST_CASE("every_shape: waves that store whole rows of C and load equally many bytes") {
  const auto rows = [](int tiles_m, int tiles_n, int tile_rows, int tile_cols, double k,
                       bool transposed, int held = 66) {
    const TileGrid grid{.tiles_m = tiles_m,
                        .tiles_n = tiles_n,
                        .row_bytes = 2 * tile_rows * k,
                        .col_bytes = 2 * tile_cols * k,
                        .multiply_adds = tile_rows * tile_cols * k,
                        .stored_rows = transposed ? tile_cols : tile_rows,
                        .transposed = transposed};
    const auto tiles = static_cast<unsigned>(tiles_m * tiles_n);
    return group_rows(grid, persistent_clusters(tiles, held, true), true, 50 << 20);
  };
  // A row of C lies in a row of 24 tiles, or, of the transpose, in a column of 28.
  CHECK(rows(28, 24, 192, 288, 192, false) == 1);
  CHECK(rows(28, 24, 192, 288, 192, true) == 28);
  CHECK(rows(28, 24, 192, 288, 8192, true) < 28);
  // In a group of all rows, the first wave would need all of A, and the others nothing of it.
  CHECK(rows(12, 5, 512, 160, 488, true, 30) == 6);
  CHECK(rows(15, 3, 512, 224, 1096, true, 15) == 5);
}

TEST_CASE("every_shape: no more clusters than whole waves need") {
  CHECK(persistent_clusters(256, 66, true) == 64);  // four waves either way
  CHECK(persistent_clusters(256, 66, false) == 66);
  CHECK(persistent_clusters(5, 132, true) == 5);
  CHECK(persistent_clusters(0, 132, true) == 0);
  CHECK(persistent_clusters(7, 0, true) == 1);  // a device that says it holds none
  for (unsigned tiles = 1; tiles < 500; ++tiles) {
    const unsigned used = persistent_clusters(tiles, 66, true);
    CHECK(used <= 66);
    CHECK((tiles + used - 1) / used == (tiles + 65) / 66);  // as many waves
  }
}

TEST_CASE("every_shape: where C takes wide stores") {
  alignas(16) char memory[32] = {};
  const auto ask = [&](std::int64_t n, std::int64_t ldc, int bytes = 0) {
    gemm::Problem problem = gemm::packed_problem(128, n, 64, gemm::DataType::kBf16);
    problem.ldc = ldc;
    problem.c = memory + bytes;
    return can_store_wide(problem);
  };
  CHECK(ask(96, 96));
  CHECK(ask(88, 96));
  CHECK(ask(96, 104));
  CHECK_FALSE(ask(96, 100));
  CHECK_FALSE(ask(84, 96));
  CHECK_FALSE(ask(96, 96, 8));
  CHECK(ask(96, 96, 16));
}

TEST_CASE("every_shape: permuted rows give a thread neighbours in C") {
  for (const int run : {4, 8}) {
    for (int lane = 0; lane < 4; ++lane) {
      // wgmma's accumulators of a lane: pairs in columns 8 j + 2 lane of D.
      int next = run * lane;
      for (int j = 0; j < run / 2; ++j) {
        CHECK(permuted_row(8 * j + 2 * lane, run) == next++);
        CHECK(permuted_row(8 * j + 2 * lane + 1, run) == next++);
      }
      CHECK(permuted_row(4 * run + 2 * lane, run) == 4 * run + run * lane);  // the next group
    }
  }
}

namespace {

using Slim = Tile<64, 64, 4, 1>;
using Typical = Config<Tile<128, 256, 4, 2>>;

// A plan for operands that nobody reads.
template <class C = Typical>
Plan<core::bf16, core::bf16, C> plan_of(int m, int n, int k, const LaunchPolicy& policy = {}) {
  alignas(16) static core::bf16 memory[8];
  return prepare<core::bf16, C>({memory, memory, memory, k, k, n, m, n, k}, policy);
}

}  // namespace

TEST_CASE("every_shape: the L2 is asked to evict C first") {
  CHECK(plan_of(512, 512, 512).c.policy.bits == gpu::kEvictFirst.bits);
  CHECK(plan_of(512, 512, 512, {.evict_c_first = false}).c.policy.bits == gpu::kEvictNormal.bits);
}

TEST_CASE("every_shape: what one cluster alone loads comes 256 bytes at a time, if that pays") {
  using enum core::L2Promotion;
  const auto promotions = [](const auto& plan) {
    return std::pair(plan.map_a.shape.promotion, plan.map_b.shape.promotion);
  };
  const std::pair neither(k128B, k128B), of_a(k256B, k128B), of_b(k128B, k256B);
  CHECK(promotions(plan_of(128, 512, 256)) == of_b);
  CHECK(promotions(plan_of(256, 256, 256)) == of_a);
  CHECK(promotions(plan_of(128, 256, 256)) == std::pair(k256B, k256B));
  CHECK(promotions(plan_of(129, 512, 256)) == neither);
  using InCluster = Config<Clustered<2, 1, Tile<128, 256, 4, 2>>>;
  CHECK(promotions(plan_of<InCluster>(129, 512, 256)) == of_b);
  CHECK(promotions(plan_of<InCluster>(257, 512, 256)) == neither);
  CHECK(promotions(plan_of(128, 512, 192)) == neither);  // rows of 384 bytes
  CHECK(promotions(plan_of(128, 512, 256, {.promote = false})) == neither);

  CHECK(promotions(plan_of(128, 1 << 15, 640)) == of_b);  // 42 MB
  CHECK(promotions(plan_of(128, 1 << 15, 768)) == neither);
  CHECK(promotions(plan_of(1 << 15, 256, 768)) == neither);
  CHECK(promotion_pays(48'000'000 - 1, 4e12));
  CHECK_FALSE(promotion_pays(48'000'000, 4e12));
  CHECK(promotion_pays(48'000'000, 3.9e12));
}

TEST_CASE("every_shape: a policy decides on order, groups, reversal and blocks") {
  const auto usual = plan_of(4096, 4096, 4096);
  CHECK(usual.params.schedule.tiles_m == 32);
  CHECK(usual.params.schedule.tiles_n == 16);
  CHECK(usual.params.schedule.rasterization == kSnake);
  const TileGrid grid{32, 16, 128.0 * 4096 * 2, 256.0 * 4096 * 2, 128.0 * 256 * 4096};
  CHECK(usual.params.schedule.group_rows ==
        group_rows(grid, 128, false, static_cast<std::int64_t>(gpu::l2_bytes())));
  CHECK(usual.params.k_tiles == 64);
  CHECK(usual.params.reverse_k);
  CHECK(usual.shape.grid.x == 128);  // 512 tiles in four waves
  // 8192 tiles in 63, whatever the groups: ten rows would be whole columns of 130.
  CHECK(plan_of(16384, 16384, 64, {.group_rows = 10}).shape.grid.x == 131);

  CHECK_FALSE(plan_of(4096, 4096, 4096, {.reverse_k = false}).params.reverse_k);
  CHECK(plan_of(4096, 4096, 4096, {.group_rows = 3}).params.schedule.group_rows == 3);
  CHECK(plan_of(4096, 4096, 4096, {.whole_waves = false}).shape.grid.x == 132);
  for (const Rasterization order : {kRows, kColumns, kGroups, kSnake}) {
    const auto plan = plan_of(4096, 3840, 4096, {.rasterization = order});
    CHECK(plan.params.schedule.rasterization == order);
  }
  // In clusters: coordinates, groups and clusters are clusters'.
  const auto pairs =
      plan_of<Config<Clustered<2, 1, Slim>>>(1000, 504, 64, {.rasterization = kRows});
  CHECK(pairs.params.schedule.tiles_m == 8);
  CHECK(pairs.params.schedule.tiles_n == 8);
  CHECK(pairs.shape.grid.x == 128);
  CHECK(pairs.shape.cluster.x == 2);
  CHECK(plan_of(0, 128, 64).shape.grid.x == 0);
  CHECK(plan_of(128, 0, 64).shape.grid.x == 0);
  CHECK(plan_of(4096, 4096, 0).shape.grid.x == 512);  // one tile each: nothing is multiplied
}

TEST_CASE("every_shape: 16 tiles of one GPC have as few rows of A and B as they can") {
  CHECK(gpc_local_rows(16, 8, 64, 128) == 4);  // 4 x 4 tiles, 256 + 512 rows; 8 x 2 are as good
  CHECK(gpc_local_rows(16, 16, 64, 64) == 4);
  CHECK(gpc_local_rows(8, 16, 128, 64) == 2);     // 2 x 8
  CHECK(gpc_local_rows(2, 64, 64, 128) == 2);     // there are no more
  CHECK(gpc_local_rows(64, 2, 64, 128) == 1);     // 8 x 2 in the end
  CHECK(gpc_local_rows(16, 20, 16, 1024) == 16);  // not more, however narrow
  CHECK(gpc_local_rows(20, 20, 16, 1024) == 12);
  CHECK(gpc_local_rows(13, 10, 128, 160) == 5);  // not 4, 4, 4 and 1
  CHECK(gpc_local_rows(14, 9, 64, 96) == 2);     // equal groups, if others save little
  CHECK(gpc_local_rows(3, 43, 64, 96) == 3);     // no last row of its own
  CHECK(gpc_local_rows(9, 9, 128, 128) == 3);
  CHECK(gpc_local_rows(20, 20, 1024, 16) == 1);
  CHECK(gpc_local_rows(3, 2, 64, 128) == 1);  // fewer than 16
}

TEST_CASE("every_shape: one wave of tiles is GPC-local") {
  const auto schedule = [](auto config, int m, const LaunchPolicy& policy = {}) {
    return plan_of<decltype(config)>(m, 512, 4096, policy).params.schedule;
  };
  const auto order = [&](auto... arguments) { return schedule(arguments...).rasterization; };
  const LaunchPolicy by_row{.gpc_local = false};
  const Config<Clustered<2, 1, Slim>> pairs;
  CHECK(order(Typical{}, 1024) == kSnake);
  CHECK(schedule(Typical{}, 1024).group_rows == gpc_local_rows(8, 2, 128, 256));
  CHECK(order(Config<Slim>{}, 512) == kSnake);
  // Of clusters every eighth has the same GPC. Without A in common: groups of eight rows, 1024 x
  // 512 is 8 x 8 pairs and 640 x 512 5 x 8; without B in common, groups of columns.
  CHECK(order(pairs, 1024) == kSnake);
  CHECK(schedule(pairs, 1024).group_rows == 8);
  CHECK(schedule(pairs, 640).group_rows == 4);
  CHECK(schedule(pairs, 64).group_rows == 1);
  CHECK_FALSE(schedule(pairs, 640).by_columns);
  const auto by_columns = schedule(Config<Clustered<1, 2, Slim>>{}, 640);  // 10 x 4 pairs
  CHECK(by_columns.by_columns);
  CHECK(by_columns.rasterization == kSnake);
  CHECK(by_columns.group_rows == 4);
  CHECK((by_columns.tiles_m == 4 && by_columns.tiles_n == 10));
  CHECK(schedule(Config<Clustered<1, 2, Slim>>{}, 192).group_rows == 4);  // 3 x 4 pairs
  CHECK(schedule(Config<SplitK<2, AtOnce<Slim>>>{}, 512).group_rows ==
        gpc_local_rows(8, 8, 64, 64));
  CHECK(order(Config<Clustered<2, 2, Slim>>{}, 512) == kRows);
  CHECK(order(Config<Clustered<4, 2, Slim>>{}, 512) == kColumns);
  CHECK(order(Typical{}, 512, by_row) == kRows);
  CHECK(order(pairs, 512, by_row) == kRows);
  CHECK(order(Typical{}, 512, LaunchPolicy{.rasterization = kColumns}) == kColumns);
  CHECK(order(Typical{}, 16384) == kSnake);  // two waves
}

TEST_CASE(
    "every_shape: blocks lie in the grid as their tiles do, where all are under way at once") {
  // Whether a block's place in the grid says which tile it has, and the grid.
  using Found = std::pair<bool, std::vector<unsigned>>;
  const auto found = [](const auto& plan) {
    const dim3 grid = plan.shape.grid;
    return Found{plan.params.schedule.tile_from_grid, {grid.x, grid.y, grid.z}};
  };
  auto local = plan_of<Config<Slim>>(1024, 512, 64);  // 16 x 8 tiles of 64 x 64
  CHECK(found(local) == Found{true, {4, 8, 4}});
  local.assign_to(3);
  CHECK(found(local) == Found{false, {3, 1, 1}});
  CHECK(found(plan_of<Config<Slim>>(1024, 512, 64, {.gpc_local = false})) ==
        Found{true, {1, 8, 16}});
  // 13 rows of 10 tiles, groups of 5, 5 and 3; two waves.
  CHECK(found(plan_of<Typical>(1664, 2560, 64)) == Found{false, {130, 1, 1}});
  CHECK(found(plan_of<Config<Slim>>(2048, 512, 64)) == Found{false, {128, 1, 1}});
  CHECK_FALSE(found(plan_of<Config<Slim>>(512, 512, 64, {.rasterization = kRows})).first);
  CHECK_FALSE(found(plan_of<Config<Clustered<1, 2, Slim>>>(512, 512, 64)).first);
  CHECK_FALSE(found(plan_of<Config<Slim>>(0, 512, 64)).first);
}

TEST_CASE("every_shape: producers of several waves of large tiles are in lock-step") {
  using Found = std::pair<int, unsigned>;
  const auto found = [](const auto& plan) {
    const bool has_counter = plan.workspace_bytes() == StreamKWorkspace::kFirstResult;
    CHECK(has_counter == (plan.params.lock_step.arrivals > 0));
    return Found{plan.params.lock_step.k_tiles, plan.params.lock_step.arrivals};
  };
  const Found never{0, 0};
  CHECK(found(plan_of(4096, 4096, 4096)) == Found{4 * 64, 64 * 128});
  // With 850 multiply-adds for each element of A, B and C, or 400 and 96 k-tiles in whole waves.
  CHECK(found(plan_of(4096, 2048, 2560)) == Found{2 * 40, 20 * 128});
  CHECK(found(plan_of(4096, 2048, 2240)) == never);
  CHECK(found(plan_of(8192, 8192, 1024)) == Found{16 * 16, 64 * 128});
  CHECK(found(plan_of(16384, 16384, 960)) == never);
  CHECK(found(plan_of(4096, 4096, 1024)) == never);
  CHECK(found(plan_of(4096, 1024, 4096)) == never);  // one wave
  CHECK(found(plan_of(512, 32768, 4096)) == Found{4 * 64, 64 * 128});
  CHECK(found(plan_of(384, 32768, 4096)) == never);  // 347 multiply-adds for each element
  // 1568 tiles for 131 blocks: eleven whole waves of 17 k-tiles, which are 46 periods.
  CHECK(found(plan_of(7168, 7168, 1088)) == Found{184, 46 * 131});
  CHECK(found(plan_of(4096, 4096, 4096, {.lock_step = false})) == never);
  // Periods of seven k-tiles. 32 rows of 31 tiles, 124 blocks.
  CHECK(found(plan_of<Config<Tile<128, 136>>>(4096, 4096, 4096)) == Found{511, 73 * 124});
  CHECK(found(plan_of<Config<Tile<128, 128>>>(4096, 4096, 4096)) == never);
  CHECK(found(plan_of<Config<Clustered<2, 1, Tile<128, 256>>>>(4096, 4096, 4096)) == never);
}

TEST_CASE("every_shape: what a launch prefetches beside the one before") {
  const LaunchPolicy policy{.programmatic = true};
  CHECK(plan_of(512, 512, 512).params.prefetch_k_tiles == 0);
  CHECK_FALSE(plan_of(512, 512, 512).shape.programmatic);
  CHECK(plan_of(512, 512, 512, policy).shape.programmatic);
  CHECK(plan_of(512, 512, 512, policy).params.prefetch_k_tiles == 8);  // of 64 columns: 128 KB each
  CHECK(plan_of(512, 512, 64, policy).params.prefetch_k_tiles == 8);   // also where there are fewer
  CHECK(plan_of(1024, 3072, 512, policy).params.prefetch_k_tiles == 2);
  CHECK(plan_of(8192, 8192, 512, policy).params.prefetch_k_tiles == 1);
  CHECK(plan_of(8192, 8192, 512).params.prefetch_k_tiles == 0);
}

TEST_CASE("every_shape: rows that an operand does not have are not loaded") {
  // Of an operand with `rows`, those that are loaded of the tile that starts at `mn`.
  struct Loaded {
    int rows, mn, expected;
  };
  const auto check = []<class Tile>(Tile, std::initializer_list<Loaded> cases) {
    for (const auto& [rows, mn, expected] : cases) {
      INFO(rows << " rows, from " << mn);
      CHECK(Tile::loaded(mn, Tile::last_box(rows)) == expected * 64);
    }
  };
  const OperandTile<64, Rows::kPlain, 1> plain;
  check(plain, {{1, 0, 1}, {5000, 0, 64}, {5000, 4928, 64}, {5000, 4992, 8}, {4992, 4928, 64}});
  const OperandTile<80, Rows::kPlain, 4> shared;  // boxes of 20 rows; outside the last one again
  check(shared, {{205, 80, 80}, {205, 160, 40 + 5 + 5}, {205, 240, 4 * 5}});
  const OperandTile<128, Rows::kPermuted, 1> permuted;
  check(permuted, {{72, 0, 96}, {5000, 0, 128}, {5000, 4992, 32}, {5000, 5120, 0}});
  using enum core::Major;
  check(OperandTile<192, Rows::kPlain, 1, kMn>{}, {{400, 0, 192}, {449, 384, 128}});
  // In a cluster as many wherever the tile lies: a block waits for the loads of all peer CTAs.
  check(OperandTile<192, Rows::kPlain, 2, kMn>{}, {{449, 384, 192}, {400, 576, 192}});
  check(OperandTile<96, Rows::kPlain, 4, kMn>{}, {{160, 96, 96}, {160, 192, 96}});
  check(OperandTile<64, Rows::kPermuted, 2>{}, {{72, 64, 64}, {72, 128, 64}});
  check(OperandTile<32, Rows::kPlain, 1, kMn>{}, {{40, 0, 32}, {40, 32, 32}});
  check(OperandTile<96, Rows::kPlain, 1, kMn>{}, {{160, 0, 96}, {160, 96, 64}, {161, 96, 96}});

  alignas(16) core::bf16 memory[8] = {};
  const auto box = [&memory]<class Tile>(Tile, int rows) {
    return Tile::map(memory, 64, rows, 64, false).shorter.shape.box;
  };
  CHECK(box(plain, 81)[1] == 17);
  CHECK(box(plain, 128)[1] == 64);
  CHECK(box(shared, 205)[1] == 5);
  CHECK(box(OperandTile<72, Rows::kPlain, 4, kMn>{}, 64) == std::array<unsigned, 5>{32, 32});
  CHECK(decltype(permuted)::map(memory, 64, 72, 64, false).shape.size[2] == 9);

  for (const bool trim : {true, false}) {
    const auto plan = plan_of<Config<Slim>>(70, 512, 64, {.trim_boxes = trim});
    CHECK(stage_bytes<core::bf16, Config<Slim>>(plan.params, {1, 0}) ==
          ((trim ? 6 : 64) + 64) * 64 * 2);
  }
}
