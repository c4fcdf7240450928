#include <harness/job.hpp>
#include <harness/trace.hpp>

#include <nlohmann/json.hpp>

#include <map>

namespace harness {

std::string Trace::json(const std::string& kernel, const gemm::Problem& problem) const {
  using Json = nlohmann::json;
  struct Filling {
    std::uint64_t begin = UINT64_MAX, full = UINT64_MAX, end = 0;
  };
  std::map<StagePhase, Filling> fillings;
  for (const Span& span : spans) {
    for (const StagePhase& at : span.loads) {
      fillings[at].begin = std::min(fillings[at].begin, span.begin);
    }
    for (const StagePhase& at : span.reads) {
      fillings[at].full = std::min(fillings[at].full, span.begin);
      fillings[at].end = std::max(fillings[at].end, span.end);
    }
  }
  std::vector<std::string> tracks = threads;
  std::vector<Span> all = spans;
  for (const auto& [at, filling] : fillings) {
    const std::size_t track = threads.size() + at.first;
    if (track == tracks.size()) tracks.push_back("stage " + std::to_string(at.first));
    if (std::max(filling.begin, filling.full) == UINT64_MAX) continue;
    const std::string phase = ", phase " + std::to_string(at.second);
    const auto next = fillings.find({at.first, at.second + 1});
    const std::uint64_t end = next == fillings.end() ? UINT64_MAX : next->second.begin;
    all.push_back({track, "filling" + phase, filling.begin, filling.full});
    all.push_back({track, "full" + phase, filling.full, std::min(filling.end, end)});
  }
  std::ranges::stable_sort(
      all, {}, [](const Span& span) { return std::tuple(span.track, span.begin, span.end); });

  Json events = Json::array();
  const auto add_event = [&](const char* phase, std::size_t track, std::uint64_t at, Json more) {
    more.update({{"ph", phase}, {"pid", 1}, {"tid", track + 1}, {"cat", "block"}});
    more["ts"] = static_cast<double>(at) / 1000;  // microseconds
    events.push_back(std::move(more));
  };
  const std::string title =
      kernel + " " + problem.shape() + ", " + backend::device().name + ": a block";
  add_event("M", 0, 0, {{"name", "process_name"}, {"args", {{"name", title}}}});
  for (std::size_t track = 0; track < tracks.size(); ++track) {
    add_event("M", track, 0, {{"name", "thread_name"}, {"args", {{"name", tracks[track]}}}});
    const Json place = {{"sort_index", track}};
    add_event("M", track, 0, {{"name", "thread_sort_index"}, {"args", place}});
  }
  std::map<StagePhase, std::vector<std::size_t>> readers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const StagePhase& at : all[i].reads) readers[at].push_back(i);
  }
  std::vector<Json> ends(all.size(), Json::array());  // of flows, in each span
  int flows = 0;
  for (std::size_t from = 0; from < all.size(); ++from) {
    for (const StagePhase& at : all[from].loads) {
      for (const std::size_t to : readers[at]) {
        ends[from].push_back({"s", flows});
        ends[to].push_back({"f", flows++});
      }
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [track, name, begin, end, loads, reads] = all[i];
    add_event("B", track, begin, {{"name", name}});
    for (const Json& flow : ends[i]) {
      const std::string phase = flow[0];
      add_event(phase.c_str(), track, begin, {{"name", "brought"}, {"id", flow[1]}, {"bp", "e"}});
    }
    add_event("E", track, end, {{"name", name}});
  }
  const Json file = {
      {"displayTimeUnit", "ns"}, {"otherData", {{"commit", commit()}}}, {"traceEvents", events}};
  return file.dump() + "\n";
}

}  // namespace harness
