#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "hilbert.hpp"
#include "kernel.cuh"

#include <gpu/cluster.hpp>
#include <gpu/host.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

namespace hilbert_schedule {

// Tensor maps belong to pointers and sizes, so they live here, and reach the kernel by value.
template <class T, class TC, class Config, class Functor = Identity>
struct Plan {
  gpu::TensorMap map_a = {}, map_b = {};
  Output<TC> c;
  Work work;
  Functor functor;
  gpu::LaunchShape shape;
  // What the schedule and the shares point to. With shares, one launch at a time.
  std::shared_ptr<void> list, sums;

  // Has the tiles dealt out to so many clusters, of a block for each part where K is divided.
  void deal_to(unsigned workers) {
    work.schedule.placed = false;
    shape.grid = dim3(workers * Config::kClusterSize * Config::kSplit);
  }
  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, TC, Config, Functor>, shape, stream, work, c, map_a, map_b, functor);
  }
};

// Whether TMA can store C: it wants addresses and distances of rows in multiples of 16 bytes, the
// latter less than 2^40, and cuts boxes at the end of a row to such a multiple.
inline bool can_store_boxes(const gemm::Problem& problem) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(problem.c) % 16 == 0;
  const bool distance = problem.ldc % 8 == 0 && problem.ldc < std::int64_t{1} << 39;
  return aligned && distance && problem.n % 8 == 0;
}

// Whether rows of B can be dealt out (its map counts them in groups of 32) and C takes the stores
// of 128 bits that this is for.
inline bool can_deal(const gemm::Problem& problem) {
  return can_store_boxes(problem) && problem.n % 32 == 0;
}

// How the plan goes about a problem, each line a variant of its own.
struct Route {
  Order order = Order::kSnake;
  int group_rows = 0;        // tiles of C in a group, along M; 0: as suits the problem
  bool reverse = true;       // every second tile from the end of K
  bool keep = true;          // ask the L2 to keep a group's rows of A, if it can, and not B
  bool streaming = true;     // ask the L2 not to keep C
  bool whole_rounds = true;  // no more blocks than whole rounds of tiles need
  bool aligned = true;       // in each round whole columns of a group, if that takes hardly longer
  bool trim = true;          // bring no rows that A or B does not have
  bool patches = true;       // one round of tiles so that an SM and its neighbours share rows
  bool overlapped = false;   // may start while the kernel before it finishes
};

// How many clusters to start for so many tiles, when the device holds `most` at once. No more than
// it takes to be done in as many rounds: the others would be idle in the last one, and in the
// rounds before they would only draw power that the rest could use.
inline unsigned clusters(unsigned tiles, int most, bool whole_rounds) {
  const auto held = static_cast<unsigned>(std::max(1, most));
  if (!whole_rounds || tiles == 0) return std::min(tiles, held);
  const unsigned rounds = (tiles + held - 1) / held;
  return (tiles + rounds - 1) / rounds;
}

// Bytes that the L2 can be asked to keep, and have room for what passes through.
inline std::int64_t kept_bytes() {
  return static_cast<std::int64_t>(gpu::l2_bytes()) / 7 * 4;
}

// Bytes that the DRAM brings while a kernel, ready itself, waits for the one before to end.
inline constexpr std::int64_t kAheadBytes = 1 << 20;

// Tiles in a group, along M, a power of two from 8 to 32. 16, if the L2 can keep A's rows for so
// many. More where groups would take few rounds: one that takes no more than two reads nothing of A
// again.
inline int group_rows(std::int64_t bytes_of_tile_row, int tiles_n, int workers) {
  const auto fits = [&](int rows) { return rows * bytes_of_tile_row <= kept_bytes(); };
  const auto rounds = [&](int rows) { return static_cast<double>(rows) * tiles_n / workers; };
  int rows = fits(16) ? 16 : 8;
  while (rows < 32 && (rounds(rows) < 2 || (rounds(rows) < 4 && fits(2 * rows)))) rows *= 2;
  return rows;
}

// The same for one round of tiles of tile_rows x tile_cols, in which nothing comes again. Blocks
// get their SMs in the order of their numbers, a GPC's 16 or so one after the other, and what these
// bring at about the same time is asked of the L2 once. So 16 tiles that follow each other should
// have as few rows of A and of B as they can.
inline int patch_rows(int tiles_m, int tiles_n, int tile_rows, int tile_cols) {
  constexpr int kPatch = 16;
  int best = 1, fewest = std::numeric_limits<int>::max();
  for (int rows = 1; rows <= std::min(kPatch, tiles_m); rows *= 2) {
    const int cols = std::min(tiles_n, kPatch / rows);
    const int high = std::min(tiles_m, gemm::ceil_div(kPatch, cols));  // of one group or several
    const int brought = high * tile_rows + cols * tile_cols;
    if (brought < fewest) best = rows, fewest = brought;
  }
  return best;
}

// As many workers as make whole columns of a group, if that is no more than one in 32 rounds
// longer: what they compute at a time then has the same shape in every round.
inline unsigned aligned_workers(unsigned workers, unsigned tiles, int group_rows) {
  const auto rows = static_cast<unsigned>(group_rows);
  if (workers < rows || tiles == workers) return workers;
  const unsigned fewer = workers / rows * rows;
  const auto rounds = [&](unsigned of) { return (tiles + of - 1) / of; };
  return rounds(fewer) <= rounds(workers) + rounds(workers) / 32 ? fewer : workers;
}

// The list of a schedule along the Hilbert curve, in device memory.
inline std::shared_ptr<void> upload_curve(int tiles_m, int tiles_n) {
  const auto curve = hilbert_curve<TilePosition>(tiles_m, tiles_n);
  const std::size_t bytes = curve.size() * sizeof(TilePosition);
  std::shared_ptr<void> list(gpu::allocate(bytes), gpu::release);
  gpu::copy_to_device(list.get(), curve.data(), bytes);
  gpu::synchronize();  // whatever stream the kernel runs in
  return list;
}

// Device memory that holds zeros.
inline std::shared_ptr<void> zeros(std::size_t bytes) {
  std::shared_ptr<void> memory(gpu::allocate(bytes), gpu::release);
  gpu::fill_bytes(memory.get(), 0, bytes);
  gpu::synchronize();  // whatever stream the kernel runs in
  return memory;
}

template <class T, class Config, class Functor = Identity, class TC = T>
Plan<T, TC, Config, Functor> prepare(const gemm::Operands<T, TC>& g, const Route& route,
                                     const Functor& functor = {}) {
  constexpr int CM = Config::CM, CN = Config::CN, BM = CM * Config::BM, BN = CN * Config::BN;
  // In units of clusters, of which those at the edges may be partly outside.
  const unsigned tiles = gemm::tile_count(g.m, g.n, BM, BN, kName);
  const int tiles_m = gemm::ceil_div(g.m, BM), tiles_n = gemm::ceil_div(g.n, BN);
  const int boxed_m = route.trim ? g.m : std::max(g.m, BM);
  const int boxed_n = route.trim ? g.n : std::max(g.n, BN);
  Plan<T, TC, Config, Functor> plan{
      .c = {g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0), gpu::kEvictNormal, {}},
      .work = {.schedule = {},
               .k_tiles = gemm::ceil_div(g.k, Config::BK),
               .stage_bytes = static_cast<unsigned>(
                   (Config::TileA::brought(boxed_m) + Config::TileB::brought(boxed_n)) * sizeof(T)),
               .reverse = route.reverse,
               .ahead = 0,
               .shares = {},
               .policy_a = gpu::kEvictNormal,
               .policy_b = gpu::kEvictNormal},
      .functor = functor,
      .shape = {.grid = dim3(0),
                .block = dim3(Config::kThreads),
                .dynamic_smem = sizeof(SharedStorage<T, Config>),
                .cluster = dim3(Config::kClusterSize),
                .programmatic = route.overlapped},
      .list = {},
      .sums = {},
  };
  unsigned workers = tiles;
  if constexpr (Config::kSplit == 1) {
    workers =
        clusters(tiles, gpu::max_active_clusters(gemm_kernel<T, TC, Config, Functor>, plan.shape),
                 route.whole_rounds);
  }
  Order order = route.order;
  int rows = route.group_rows;
  const std::int64_t row_bytes = std::int64_t{g.k} * sizeof(T);
  const bool grouped = order == Order::kGroups || order == Order::kSnake;
  if (grouped && rows == 0 && workers > 0) {
    rows = group_rows(BM * row_bytes, tiles_n, static_cast<int>(workers));
  }
  if (grouped && route.aligned && route.whole_rounds) {
    workers = aligned_workers(workers, tiles, rows);
  }
  plan.deal_to(workers);
  if (tiles == 0) return plan;
  if constexpr (Config::kSplit > 1) {
    const std::size_t sums = std::size_t{tiles} * (Config::kSplit - 1) * Config::BM * Config::BN;
    plan.sums = zeros(sums * sizeof(float) + tiles * sizeof(int));
    float* const first = static_cast<float*>(plan.sums.get());
    plan.work.shares = {first, reinterpret_cast<int*>(first + sums)};
  }

  if (route.overlapped) {
    const std::int64_t bytes_of_step = (g.m + std::int64_t{g.n}) * Config::BK * sizeof(T);
    plan.work.ahead = static_cast<int>(std::max<std::int64_t>(1, kAheadBytes / bytes_of_step));
  }

  const bool all_fits = (g.m + std::int64_t{g.n}) * row_bytes <= kept_bytes();
  const bool group_fits = rows * BM * row_bytes <= kept_bytes();
  if (route.keep && grouped && !all_fits && group_fits) {
    plan.work.policy_a = gpu::kEvictLast;
    plan.work.policy_b = gpu::kEvictFirst;
  }
  // In one round all tiles are under way together. (In clusters neighbours share one operand by
  // multicast. What the next cluster brings, too, should be that one.)
  const bool at_once = tiles == workers && grouped;
  if (at_once) {
    order = Order::kRows;
    if (route.patches && Config::kClusterSize == 1) {
      order = Order::kGroups;
      rows = patch_rows(tiles_m, tiles_n, BM, BN);
    }
    if (route.patches && CM > CN) order = Order::kColumns;
  }
  if (route.streaming) plan.c.policy = gpu::kEvictFirst;
  if (order == Order::kHilbert) plan.list = upload_curve(tiles_m, tiles_n);
  plan.work.schedule =
      TileSchedule(tiles_m, tiles_n, order, rows, static_cast<TilePosition*>(plan.list.get()));
  rows = plan.work.schedule.group_rows;
  if (kMayBePlaced<Config> && at_once && tiles_m % rows == 0) {
    plan.work.schedule.placed = true;
    plan.shape.grid = dim3(rows, tiles_n, tiles_m / rows);
  }
  if constexpr (Config::kStore == Store::kTma) {
    plan.c.map = gpu::make_tensor_map(
        g.c, {.rank = 2,
              .size = {static_cast<std::uint64_t>(g.n), static_cast<std::uint64_t>(g.m)},
              .stride_bytes = {0, static_cast<std::uint64_t>(g.ldc) * sizeof(T)},
              .box = {64, 64},
              .swizzle = core::SwizzleMode::k128B});
  }
  if (g.k > 0) {  // there is no map of nothing
    plan.map_a = Config::TileA::map(g.a, g.lda, g.m, g.k, boxed_m);
    plan.map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k, boxed_n);
  }
  return plan;
}

// The operands of a valid problem, plain but for its epilogue, its majors and the elements of C,
// which may be fp32. Throws core::Refused for any other, and for operands that TMA cannot read.
template <class T, class TC = T>
gemm::Operands<T, TC> operands(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  gemm::Problem rest = problem;
  rest.epilogue = {};
  rest.a_major = rest.b_major = core::Major::kK;
  if (rest.c_type == gemm::DataType::kFp32) rest.c_type = rest.type;
  gemm::require_plain(rest, kName);
  gemm::require_tma(problem, kName);
  return gemm::typed_operands<T, TC>(problem);
}

// Calls use(functor) with the functor that the problem asks for.
template <class T, class Use>
auto with_functor(const gemm::Problem& problem, Use use) {
  const gemm::Epilogue& wanted = problem.epilogue;
  switch (wanted.kind) {
    case gemm::EpilogueKind::kAlphaBeta:
      if (wanted.beta == 0.0f) return use(Scale{wanted.alpha});
      return use(AlphaBeta{wanted.alpha, wanted.beta});
    case gemm::EpilogueKind::kBiasRelu:
      return use(BiasRelu<T>{static_cast<const T*>(wanted.bias)});
    default:
      return use(Identity{});
  }
}

}  // namespace hilbert_schedule
