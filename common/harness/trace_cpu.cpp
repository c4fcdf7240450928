// From what the CPU backend noted of a block to its trace.

#include <harness/job.hpp>
#include <harness/trace.hpp>

#include <runtime/happenings.hpp>

namespace harness {
namespace {

using runtime::Happening;
using Happenings = std::vector<Happening>;

// Waits, phases and loads, and the first thread's groups of copies as if each had gone to a stage
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

class Tracer {
 public:
  explicit Tracer(const Happenings& all) : all_(all) {
    // The barriers that bytes come to are the full ones, the others the empty ones; a ring has them
    // in the order of its stages.
    for (const Happening& h : all_) {
      last_ = std::max(last_, h.end);
      if (h.kind != Happening::kLoad) continue;
      full_.insert(h.barrier);
      loading_.insert(h.thread);
    }
    for (const Happening& h : all_) {
      if (!full_.contains(h.barrier)) empty_.insert(h.barrier);
      if (h.kind == Happening::kWait && full_.contains(h.barrier)) reading_.insert(h.thread);
    }
  }

  Trace trace() {
    std::vector<unsigned> threads(loading_.begin(), loading_.end());
    std::ranges::set_difference(reading_, loading_, std::back_inserter(threads));
    for (const unsigned thread : threads) {
      // Of warpgroups that do the same the first.
      const bool one_of_many = thread % 128 != 0 && reading_.contains(thread);
      if (thread != Happening::kNobody && !one_of_many) add_thread(thread);
    }
    return std::move(trace_);
  }

 private:
  // What a thread waits for, and what it does in between: one span from wait to wait.
  void add_thread(unsigned thread) {
    const bool loads = loading_.contains(thread), reads = reading_.contains(thread);
    const char* role = loads ? reads ? "loads and multiplies" : "producer" : "consumer";
    const std::size_t track = trace_.threads.size();
    trace_.threads.push_back("thread " + std::to_string(thread) + ": " + role);
    Trace::Span doing{track, "begin", 0};
    for (const Happening& h : all_) {
      if (h.thread != thread) continue;
      if (h.kind == Happening::kLoad) doing.loads.insert(place(h));
      if (h.kind != Happening::kWait) continue;
      doing.end = h.begin;
      trace_.spans.push_back(std::move(doing));
      const bool full = full_.contains(h.barrier);
      const std::string stage = ", stage " + std::to_string(place(h).first);
      trace_.spans.push_back({track, (full ? "wait full" : "wait empty") + stage, h.begin, h.end});
      doing = {track, (full ? "multiply" : "load") + stage, h.end};
      if (full) doing.reads.insert(place(h));
    }
    doing.end = last_;
    trace_.spans.push_back(std::move(doing));
  }

  Trace::StagePhase place(const Happening& h) const {
    const auto& barriers = full_.contains(h.barrier) ? full_ : empty_;
    return {std::distance(barriers.begin(), barriers.find(h.barrier)), h.phase};
  }

  const Happenings& all_;
  std::set<std::uint32_t> full_, empty_;  // barriers
  std::set<unsigned> loading_, reading_;  // threads
  std::uint64_t last_ = 0;
  Trace trace_;
};

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
  all = with_stages(all);
  return Tracer(all).trace().json(kernel.label(), problem);
}

}  // namespace harness
