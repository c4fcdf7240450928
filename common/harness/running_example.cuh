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

// `prepare` makes the chapter's plan; `tile_of` says of the plan which tile a block computes first,
// second ...
template <class Prepare, class TileOf>
int run(const char* chapter, const Prepare& prepare, const TileOf& tile_of) {
  static constexpr const char* kKinds[] = {"wait",    "phase",    "load",       "commit", "retire",
                                           "blocked", "multiply", "multiplied", "store"};
  const Trial trial(problem_of({}, {256, 256, 192}), gemm::Values::kUniform, {});
  const auto plan = prepare(gemm::typed_operands<core::bf16>(trial.device().problem()));
  std::vector<runtime::Happening> all;
  runtime::set_workers(1);  // one block, or cluster, after the other
  runtime::happenings = &all;
  runtime::noted_blocks = kTiles * kTiles;
  const bool right = trial.run([&](gpu::Stream stream) { plan.run(stream); }).ok();
  runtime::happenings = nullptr;
  bool reverse_k = false;
  if constexpr (requires { plan.schedule.reverse_k; }) reverse_k = plan.schedule.reverse_k;
  const int blocks = static_cast<int>(plan.shape.grid.x);
  const int step = plan.shape.cluster.x > 1 ? 1 : 2;  // from one block that is shown to the next
  std::string out = formatted("{\n\"chapter\": \"%s\", \"commit\": \"%s\", \"async\": \"%s\",\n",
                              chapter, commit(), to_string(runtime::policy()).c_str());
  out += formatted("\"reverse_k\": %s, \"blocks\": [", reverse_k ? "true" : "false");
  for (int block = 0; block < blocks; block += step) {
    out += formatted(block == 0 ? "[%d" : ", [%d", block);
    for (int i = 0; i < kTiles * kTiles / blocks; ++i) {
      const auto at = tile_of(plan, block, i);
      out += formatted(", %d", at.row * kTiles + at.col);
    }
    out += "]";
  }
  out += "],\n\"events\": [";  // block, what, thread, barrier, phase, turn
  const char* separator = "\n";
  for (const runtime::Happening& h : all) {
    const bool nobody = h.thread == runtime::Happening::kNobody;
    const bool first = nobody || h.thread % 128 == 0;  // all of a warpgroup do as the first thread
    if (h.block % step != 0 || (h.kind != h.kPhase && !first)) continue;
    out += formatted("%s[%llu, \"%s\", %d, %u, %llu, %llu]", separator, h.block + 0ull,
                     kKinds[h.kind], nobody ? -1 : static_cast<int>(h.thread), h.barrier,
                     h.phase + 0ull, h.end + 0ull);
    separator = ",\n";
  }
  print(out + "\n]\n}\n");
  return right ? core::kRight : core::kWrongResult;
}

// What a chapter registers.
inline Demonstration demonstration(const char* chapter, int (*run)()) {
  return {chapter, "running_example", "who does what when in the example of all pages, as JSON",
          run};
}

}  // namespace harness::running_example
