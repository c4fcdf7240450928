// From what the CPU backend noted of a block to its trace.

#include <harness/job.hpp>
#include <harness/trace.hpp>

#include <runtime/happenings.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace harness {
namespace {

using runtime::Happening;
using Happenings = std::vector<Happening>;

// The first thread's groups of copies as if each had gone to a stage with a barrier: to as many as
// were under way at once. (Other threads copy as it does.)
Happenings with_stages(const Happenings& all) {
  Happenings out;
  std::uint64_t committed = 0, retired = 0, stages = 1;
  for (const bool count : {true, false}) {
    committed = retired = 0;
    for (const Happening& h : all) {
      if (h.kind != Happening::kCommit && h.kind != Happening::kRetire) {
        if (!count) out.push_back(h);
        continue;
      }
      if (h.thread != 0) continue;
      const bool commit = h.kind == Happening::kCommit;
      std::uint64_t& groups = commit ? committed : retired;
      for (std::uint32_t i = 0; i < (commit ? 1 : h.barrier); ++i, ++groups) {
        const auto stage = static_cast<std::uint32_t>(groups % stages);
        const std::uint64_t phase = groups / stages;
        if (count) continue;
        out.push_back(
            {commit ? Happening::kLoad : Happening::kPhase, 0, stage, phase, h.begin, h.end, 0});
        if (!commit) out.push_back({Happening::kWait, 0, stage, phase, h.begin, h.end, 0});
      }
      if (count) stages = std::max(stages, committed - retired);
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
      full_[h.barrier] = 0;
      loads_.insert(h.thread);
    }
    for (const Happening& h : all_) {
      if (!full_.contains(h.barrier)) empty_[h.barrier] = 0;
      if (h.kind == Happening::kWait && full_.contains(h.barrier)) consumes_.insert(h.thread);
    }
    for (auto* barriers : {&full_, &empty_}) {
      std::size_t stage = 0;
      for (auto& [offset, number] : *barriers) number = stage++;
    }
  }

  Trace trace() {
    for (const auto& threads : {loads_, consumes_}) {
      for (const unsigned thread : threads) {
        if (thread == Happening::kNobody || tracks_.contains(thread)) continue;
        // Of warpgroups that do the same the first.
        if (thread % 128 == 0 || !consumes_.contains(thread)) add_thread(thread);
      }
    }
    for (const auto& [offset, stage] : full_) add_stage(offset, stage);
    for (const auto& [what, from] : brings_) {
      for (const std::size_t one : from) {
        for (const std::size_t to : uses_[what]) trace_.flows.push_back({one, to});
      }
    }
    return trace_;
  }

 private:
  // What a thread waits for, and what it does in between: one span from wait to wait.
  void add_thread(unsigned thread) {
    const bool loads = loads_.contains(thread), consumes = consumes_.contains(thread);
    const char* role = loads ? consumes ? "loads and multiplies" : "producer" : "consumer";
    const std::size_t track = add_track("thread " + std::to_string(thread) + ": " + role);
    tracks_.insert(thread);
    Trace::Span doing{track, "begin", 0, 0};
    std::vector<std::set<std::size_t>*> open;  // what gets the number of the span under way
    const auto close = [&](std::uint64_t at) {
      const std::size_t number = trace_.add(track, doing.name, doing.begin, at);
      for (auto* one : open) one->insert(number);
      open.clear();
    };
    for (const Happening& h : all_) {
      if (h.thread != thread) continue;
      if (h.kind == Happening::kLoad) open.push_back(&brings_[{h.barrier, h.phase}]);
      if (h.kind != Happening::kWait) continue;
      close(h.begin);
      const bool full = full_.contains(h.barrier);
      const std::string stage = std::to_string((full ? full_ : empty_)[h.barrier]);
      trace_.add(track, (full ? "wait full, stage " : "wait empty, stage ") + stage, h.begin,
                 h.end);
      doing = {track, (full ? "multiply, stage " : "load, stage ") + stage, h.end, 0};
      if (full) open.push_back(&uses_[{h.barrier, h.phase}]);
    }
    close(last_);
  }

  // Filled in a phase of the full barrier, and full until the empty one's phase of that number, if
  // there is one, or until the next load.
  void add_stage(std::uint32_t barrier, std::size_t stage) {
    const std::size_t track = add_track("stage " + std::to_string(stage));
    std::map<std::uint64_t, std::uint64_t> asked, full, empty;  // phase -> time
    for (const Happening& h : all_) {
      const auto of = empty_.find(h.barrier);
      if (h.kind == Happening::kLoad && h.barrier == barrier) asked.emplace(h.phase, h.begin);
      if (h.kind != Happening::kPhase) continue;
      if (h.barrier == barrier) full[h.phase] = h.end;
      if (of != empty_.end() && of->second == stage) empty[h.phase] = h.end;
    }
    for (const auto& [phase, begin] : asked) {
      if (!full.contains(phase)) continue;
      const std::string name = ", phase " + std::to_string(phase);
      const auto next = asked.find(phase + 1);
      std::uint64_t end = next == asked.end() ? last_ : next->second;
      if (empty.contains(phase)) end = std::min(end, empty[phase]);
      trace_.add(track, "filling" + name, begin, full[phase]);
      trace_.add(track, "full" + name, full[phase], std::max(end, full[phase]));
    }
  }

  std::size_t add_track(const std::string& name) {
    trace_.tracks.push_back(name);
    return trace_.tracks.size() - 1;
  }

  const Happenings& all_;
  std::map<std::uint32_t, std::size_t> full_, empty_;  // barrier -> stage
  std::set<unsigned> loads_, consumes_, tracks_;       // threads
  std::uint64_t last_ = 0;
  Trace trace_;
  // For a barrier and a phase: numbers of spans.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<std::size_t>> brings_, uses_;
};

}  // namespace

Trace trace_of(const Happenings& all) {
  Happenings staged = with_stages(all);
  std::erase_if(staged, [](const Happening& h) { return h.kind > Happening::kRetire; });
  return Tracer(staged).trace();
}

}  // namespace harness
