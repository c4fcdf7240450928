// From what the CPU backend noted of a block to its trace.

#include <harness/job.hpp>
#include <harness/trace.hpp>

#include <runtime/happenings.hpp>

namespace harness {
namespace {

using runtime::Happening;
using Happenings = std::vector<Happening>;

// Waits and loads, and the first thread's groups of copies as if each had gone to a stage
// with a barrier: to as many as were under way at once. (Other threads copy as it does.)
Happenings with_stages(const Happenings& all) {
  std::uint64_t committed = 0, retired = 0, stages = 1;
  for (const Happening& h : all) {
    if (h.thread != 0) continue;
    if (h.kind == Happening::kCommit) ++committed;
    if (h.kind == Happening::kRetire) retired += h.barrier;
    stages = std::max(stages, committed - retired);
  }
  committed = retired = 0;
  Happenings out;
  const auto add = [&](Happening::Kind kind, std::uint64_t group, const Happening& h) {
    const auto stage = static_cast<std::uint32_t>(group % stages);
    out.push_back({kind, 0, stage, group / stages, h.begin, h.end, 0});
  };
  for (const Happening& h : all) {
    if (h.kind < Happening::kCommit) out.push_back(h);
    if (h.thread != 0) continue;
    if (h.kind == Happening::kCommit) add(Happening::kLoad, committed++, h);
    for (std::uint32_t i = 0; h.kind == Happening::kRetire && i < h.barrier; ++i, ++retired) {
      add(Happening::kWait, retired, h);
    }
  }
  return out;
}

Trace trace_of(const Happenings& all) {
  // The barriers that bytes come to are the full ones, the others the empty ones; a ring has them
  // in the order of its stages.
  std::set<std::uint32_t> full, empty;
  std::set<unsigned> loading, reading;  // threads
  std::uint64_t last = 0;
  for (const Happening& h : all) {
    last = std::max(last, h.end);
    if (h.kind != Happening::kLoad) continue;
    full.insert(h.barrier);
    loading.insert(h.thread);
  }
  for (const Happening& h : all) {
    if (!full.contains(h.barrier)) empty.insert(h.barrier);
    if (h.kind == Happening::kWait && full.contains(h.barrier)) reading.insert(h.thread);
  }
  const auto place = [&](const Happening& h) -> Trace::StagePhase {
    const auto& barriers = full.contains(h.barrier) ? full : empty;
    return {std::distance(barriers.begin(), barriers.find(h.barrier)), h.phase};
  };

  Trace trace;
  std::vector<unsigned> threads(loading.begin(), loading.end());
  std::ranges::set_difference(reading, loading, std::back_inserter(threads));
  for (const unsigned thread : threads) {
    const bool loads = loading.contains(thread), reads = reading.contains(thread);
    // Of warpgroups that do the same the first.
    if (thread == Happening::kNobody || (thread % 128 != 0 && reads)) continue;
    const char* role = loads ? reads ? "loads and multiplies" : "producer" : "consumer";
    const std::size_t track = trace.threads.size();
    trace.threads.push_back("thread " + std::to_string(thread) + ": " + role);
    // What it waits for, and what it does in between: one span from wait to wait.
    Trace::Span doing{track, "begin", 0};
    for (const Happening& h : all) {
      if (h.thread != thread) continue;
      if (h.kind == Happening::kLoad) doing.loads.insert(place(h));
      if (h.kind != Happening::kWait) continue;
      doing.end = h.begin;
      trace.spans.push_back(std::move(doing));
      const bool filled = full.contains(h.barrier);
      const std::string stage = ", stage " + std::to_string(place(h).first);
      trace.spans.push_back({track, (filled ? "wait full" : "wait empty") + stage, h.begin, h.end});
      doing = {track, (filled ? "multiply" : "load") + stage, h.end};
      if (filled) doing.reads.insert(place(h));
    }
    doing.end = last;
    trace.spans.push_back(std::move(doing));
  }
  return trace;
}

}  // namespace

std::string backend::trace(const Job& job, const gemm::Problem& problem, int& status) {
  if (job.kernels.size() != 1) throw core::Refused("--trace: takes one variant of one chapter");
  const Kernel& kernel = job.kernels.front();
  const Trial trial(problem, gemm::Values::kUniform, {});
  const Plan plan = kernel.prepare(trial.device().problem());
  Happenings all;
  runtime::happenings = &all;
  const Verdict verdict = trial.run(plan);
  runtime::happenings = nullptr;
  if (all.empty()) {
    throw core::Refused("--trace: " + kernel.label() + " has nothing to trace: no asynchronous " +
                        "copies, no mbarriers");
  }
  if (!verdict.ok()) {
    status = core::kWrongResult;
    print(verdict.report(kernel.label() + ": WRONG"));
  }
  return trace_of(with_stages(all)).json(kernel.label(), problem);
}

}  // namespace harness
