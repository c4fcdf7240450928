#pragma once
// The problem that all pages share, run on the CPU backend by a chapter's own kernel with small
// tiles: M = N = 256, K = 192, four tiles of C of 128 x 128, three k-tiles, two stages, two blocks
// at a time. What the blocks of the first SM do is printed in its order, and where there is a
// cluster what both its blocks do: as JSON for plots/example_timeline.py.

#include <harness/chapter.hpp>
#include <harness/job.hpp>

#include <core/error.hpp>
#include <gemm/operands.hpp>
#include <runtime/happenings.hpp>
#include <runtime/settings.hpp>

namespace harness::running_example {

inline constexpr int kTiles = 2;  // along M, and along N

// `prepare` makes the chapter's plan, `tile_coord` is its grouped order.
template <class Prepare, class TileCoord>
int run(const char* chapter, const Prepare& prepare, TileCoord tile_coord(int, int, int)) {
  static constexpr const char* kKinds[] = {"wait",    "phase",    "load",       "commit", "retire",
                                           "blocked", "multiply", "multiplied", "store"};
  const Trial trial(problem_of({}, {256, 256, 192}), gemm::Values::kUniform, {});
  auto plan = prepare(gemm::typed_operands<core::bf16>(trial.device().problem()));
  if constexpr (requires { plan.schedule; }) plan.shape.grid = dim3(2);  // persistent blocks
  std::vector<runtime::Happening> all;
  runtime::set_workers(1);  // one block, or cluster, after the other
  runtime::happenings = &all;
  runtime::noted_blocks = kTiles * kTiles;
  const bool right = trial.run([&](gpu::Stream stream) { plan.run(stream); }).ok();

  const int blocks = static_cast<int>(plan.shape.grid.x), of_cluster = plan.shape.cluster.x;
  const int step = of_cluster > 1 ? 1 : 2;  // from one block that is shown to the next
  std::string tiles, events;
  for (int block = 0; block < blocks; block += step) {
    tiles += formatted(block == 0 ? "[%d" : ", [%d", block);
    for (int i = 0; i < kTiles * kTiles / blocks; ++i) {
      const int number = of_cluster > 1 ? i : block + i * blocks;
      auto at = tile_coord(number, kTiles / of_cluster, kTiles);
      if constexpr (requires { plan.schedule.order; }) at = plan.schedule.order[number];
      const int row = of_cluster > 1 ? at.row * of_cluster + block : at.row;
      tiles += formatted(", %d", row * kTiles + at.col);
    }
    tiles += "]";
  }
  for (const runtime::Happening& h : all) {
    const bool nobody = h.thread == h.kNobody;
    const bool first = nobody || h.thread % 128 == 0;  // all of a warpgroup do as the first thread
    if (h.block % step != 0 || (h.kind != h.kPhase && !first)) continue;
    events += formatted("%s\n[%llu, \"%s\", %d, %u, %llu, %llu]", events.empty() ? "" : ",",
                        h.block + 0ull, kKinds[h.kind], nobody ? -1 : static_cast<int>(h.thread),
                        h.barrier, h.phase + 0ull, h.end + 0ull);
  }
  bool reverse_k = false;
  if constexpr (requires { plan.schedule.reverse_k; }) reverse_k = plan.schedule.reverse_k;
  print(formatted("{\n\"chapter\": \"%s\", \"commit\": \"%s\", \"async\": \"%s\",\n", chapter,
                  commit(), to_string(runtime::policy()).c_str()) +
        formatted("\"reverse_k\": %s, \"blocks\": [", reverse_k ? "true" : "false") + tiles +
        "],\n\"events\": [" + events + "\n]\n}\n");
  return right ? core::kRight : core::kWrongResult;
}

// What a chapter registers.
inline Demonstration demonstration(const char* chapter, int (*run)()) {
  return {chapter, "running_example", "who does what when in the example of all pages, as JSON",
          run};
}

}  // namespace harness::running_example
