#include <harness/trace.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace harness {

std::string Trace::json(const std::string& title) const {
  using Json = nlohmann::json;
  Json events = Json::array();
  const auto add_event = [&](const char* phase, std::size_t track, std::uint64_t at, Json more) {
    more.update({{"ph", phase}, {"pid", 1}, {"tid", track + 1}, {"cat", "block"}});
    more["ts"] = static_cast<double>(at) / 1000;  // microseconds
    events.push_back(std::move(more));
  };
  add_event("M", 0, 0, {{"name", "process_name"}, {"args", {{"name", title}}}});
  for (std::size_t track = 0; track < tracks.size(); ++track) {
    add_event("M", track, 0, {{"name", "thread_name"}, {"args", {{"name", tracks[track]}}}});
    const Json place = {{"sort_index", track}};
    add_event("M", track, 0, {{"name", "thread_sort_index"}, {"args", place}});
  }
  std::vector<std::size_t> order(spans.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::tuple(spans[i].track, spans[i].begin, spans[i].end);
  });
  std::vector<std::vector<std::size_t>> leaving(spans.size()), coming(spans.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    leaving[flows[i].from].push_back(i);
    coming[flows[i].to].push_back(i);
  }
  for (const std::size_t number : order) {
    const Span& span = spans[number];
    add_event("B", span.track, span.begin, {{"name", span.name}});
    for (const std::size_t flow : leaving[number]) {
      add_event("s", span.track, span.begin, {{"name", "brought"}, {"id", flow}});
    }
    for (const std::size_t flow : coming[number]) {
      add_event("f", span.track, span.begin, {{"name", "brought"}, {"id", flow}, {"bp", "e"}});
    }
    add_event("E", span.track, span.end, {{"name", span.name}});
  }
  const Json all = {{"displayTimeUnit", "ns"}, {"traceEvents", events}};
  return all.dump(1) + "\n";
}

}  // namespace harness
