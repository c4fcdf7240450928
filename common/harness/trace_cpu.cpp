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

// The barriers that bytes come to are the full ones, the others the empty ones; a ring has them in
// the order of its stages.
struct Barriers {
  std::map<std::uint32_t, std::size_t> full, empty;  // offset -> stage

  explicit Barriers(const std::vector<Happening>& all) {
    for (const Happening& h : all) {
      if (h.kind == Happening::kLoad) full[h.barrier] = 0;
    }
    for (const Happening& h : all) {
      const bool of_barrier = h.kind == Happening::kWait || h.kind == Happening::kPhase;
      if (of_barrier && !full.contains(h.barrier)) empty[h.barrier] = 0;
    }
    for (auto* kind : {&full, &empty}) {
      std::size_t stage = 0;
      for (auto& [offset, number] : *kind) number = stage++;
    }
  }
};

// For a barrier and a phase, or a thread and a group of its copies: numbers of spans.
using SpansOf = std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<std::size_t>>;

}  // namespace

Trace trace_of(const std::vector<Happening>& all) {
  const Barriers barriers(all);
  std::set<unsigned> loads, consumes, shown;
  std::uint64_t last = 0;
  for (const Happening& h : all) {
    last = std::max(last, h.end);
    if (h.thread == Happening::kNobody) continue;
    if (h.kind == Happening::kLoad || h.kind == Happening::kCommit) loads.insert(h.thread);
    const bool waits = h.kind == Happening::kWait && barriers.full.contains(h.barrier);
    if (waits || h.kind == Happening::kRetire) consumes.insert(h.thread);
  }
  for (const auto& threads : {loads, consumes}) {
    for (const unsigned thread : threads) {  // of warpgroups that do the same the first
      if (thread % 128 == 0 || !consumes.contains(thread)) shown.insert(thread);
    }
  }

  Trace trace;
  SpansOf brings, uses;
  for (const unsigned thread : shown) {
    const bool both = loads.contains(thread) && consumes.contains(thread);
    const char* role = both                     ? "loads and multiplies"
                       : loads.contains(thread) ? "producer"
                                                : "consumer";
    const std::size_t track = trace.tracks.size();
    trace.tracks.push_back("thread " + std::to_string(thread) + ": " + role);
    std::string doing = "begin";
    std::uint64_t since = 0, committed = 0, retired = 0;
    std::vector<std::set<std::size_t>*> open;  // what gets the number of the span under way
    const auto close = [&](std::uint64_t at) {
      const std::size_t number = trace.add(track, doing, since, at);
      for (auto* one : open) one->insert(number);
      open.clear();
    };
    for (const Happening& h : all) {
      if (h.thread != thread) continue;
      if (h.kind == Happening::kLoad) open.push_back(&brings[{h.barrier, h.phase}]);
      if (h.kind == Happening::kCommit) open.push_back(&brings[{thread, committed++}]);
      if (h.kind != Happening::kWait && h.kind != Happening::kRetire) continue;
      close(h.begin);
      const auto full = barriers.full.find(h.barrier), empty = barriers.empty.find(h.barrier);
      if (h.kind == Happening::kRetire) {
        trace.add(track, "wait for copies", h.begin, h.end);
        doing = "multiply";
        for (std::uint32_t i = 0; i < h.barrier; ++i) open.push_back(&uses[{thread, retired++}]);
      } else if (full != barriers.full.end()) {
        const std::string stage = " stage " + std::to_string(full->second);
        trace.add(track, "wait full," + stage, h.begin, h.end);
        doing = "multiply" + stage;
        open.push_back(&uses[{h.barrier, h.phase}]);
      } else {
        const std::string stage = " stage " + std::to_string(empty->second);
        trace.add(track, "wait empty," + stage, h.begin, h.end);
        doing = "load" + stage;
      }
      since = h.end;
    }
    close(last);
  }
  for (const auto& [what, from] : brings) {
    for (const std::size_t one : from) {
      for (const std::size_t to : uses[what]) trace.flows.push_back({one, to});
    }
  }

  // Stages: filled in a phase of the full barrier, and full until the empty one's phase of that
  // number, if there is one, or until the next load.
  for (const auto& [offset, stage] : barriers.full) {
    const std::size_t track = trace.tracks.size();
    trace.tracks.push_back("stage " + std::to_string(stage));
    std::map<std::uint64_t, std::uint64_t> asked, full, empty;  // by phase
    for (const Happening& h : all) {
      const auto of = barriers.empty.find(h.barrier);
      if (h.kind == Happening::kLoad && h.barrier == offset) asked.emplace(h.phase, h.begin);
      if (h.kind != Happening::kPhase) continue;
      if (h.barrier == offset) full[h.phase] = h.end;
      if (of != barriers.empty.end() && of->second == stage) empty[h.phase] = h.end;
    }
    for (const auto& [phase, begin] : asked) {
      if (!full.contains(phase)) continue;
      const std::string name = ", phase " + std::to_string(phase);
      const auto next = asked.find(phase + 1);
      std::uint64_t end = next == asked.end() ? last : next->second;
      if (empty.contains(phase)) end = std::min(end, empty[phase]);
      trace.add(track, "filling" + name, begin, full[phase]);
      trace.add(track, "full" + name, full[phase], std::max(end, full[phase]));
    }
  }
  // Without barriers: the groups of the first thread's copies, as many as were under way at once.
  if (barriers.full.empty() && !shown.empty()) {
    std::vector<std::uint64_t> commits, retirements;
    std::size_t slots = 1;
    for (const Happening& h : all) {
      if (h.thread != *shown.begin()) continue;
      if (h.kind == Happening::kCommit) commits.push_back(h.begin);
      if (h.kind == Happening::kRetire) retirements.resize(retirements.size() + h.barrier, h.end);
      slots = std::max(slots, commits.size() - retirements.size());
    }
    retirements.resize(commits.size(), last);
    const std::size_t first = trace.tracks.size();
    for (std::size_t i = 0; i < slots; ++i) {
      trace.tracks.push_back("stage " + std::to_string(i));
    }
    for (std::size_t i = 0; i < commits.size(); ++i) {
      trace.add(first + i % slots, "group " + std::to_string(i), commits[i], retirements[i]);
    }
  }
  return trace;
}

}  // namespace harness
