#include <harness/results.hpp>

#include <harness/statistics.hpp>

#include <nlohmann/json.hpp>

#include <ctime>

// Null where there is no value.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(auto& json, const std::optional<T>& value) {
    if (value) json = *value;
  }
};

namespace harness {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order in which a reader wants to see the fields

Json to_json(const Method& m) {
  Json json = {{"mode", m.mode}};
  const auto add = [&json](const char* key, const auto& value, bool given) {
    if (given) json[key] = value;
  };
  add("rest_ms", m.rest_ms, m.rest_ms.has_value());
  add("rounds", m.rounds, m.rounds.has_value());
  add("burst_ms", m.burst_ms, m.burst_ms.has_value());
  add("preheat_ms", m.preheat_ms, m.preheat_ms.has_value());
  add("sustained_ms", m.sustained_ms, m.sustained_ms.has_value());
  add("cold", true, m.asked.cold);
  add("layout", m.asked.layout, m.asked.layout != "tn");
  add("epilogue", m.asked.epilogue, m.asked.epilogue != "identity");
  add("c_dtype", m.asked.c_dtype, !m.asked.c_dtype.empty());
  add("async", m.async, m.async.has_value());
  return json;
}

Json to_json(const Chapter& chapter) {
  Json variants = Json::array();
  for (const auto* list : {&chapter.variants, &chapter.tunings, &chapter.ablations}) {
    for (const Variant& v : *list) {
      const bool is_default = &v == &chapter.variants.front();
      variants.push_back({{"name", v.name}, {"summary", v.summary}, {"default", is_default}});
    }
  }
  return {{"name", chapter.name},
          {"title", chapter.title},
          {"idea", chapter.idea},
          {"ceiling", kCeilingNames[static_cast<int>(chapter.ceiling)]},
          {"variants", variants}};
}

Json to_json(const Row& r) {
  Json json = {{"chapter", r.chapter}, {"variant", r.variant}, {"m", r.shape.m}, {"n", r.shape.n},
               {"k", r.shape.k},       {"dtype", r.dtype},     {"mode", r.mode}};
  if (r.skipped) {
    json["skipped"] = *r.skipped;
  } else if (r.mode == "counters") {
    json["counters"] = Json::object();
    for (const auto& [key, value] : r.counters) json["counters"][key] = value;
    json["rel_err"] = r.rel_err;
  } else {
    json.update({{"gflops_median", r.gflops_median},
                 {"gflops_lo", r.gflops_lo},
                 {"gflops_hi", r.gflops_hi},
                 {"cublas_gflops", r.cublas_gflops},
                 {"cublas_default_gflops", r.cublas_default_gflops},
                 {"sm_mhz", r.sm_mhz},
                 {"power_w", r.power_w},
                 {"rel_err", r.rel_err},
                 {"samples_ms", r.samples_ms},
                 {"graph", r.graph},
                 {"buffers", r.buffers}});
  }
  return json;
}

}  // namespace

std::string capability_text(int compute_capability) {
  return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

void set_gflops(Row& row) {
  const Estimate ms = estimate(row.samples_ms);
  const double flops_per_gflops = row.shape.flops() * 1e-6;  // / ms = GFLOPS
  row.gflops_median = flops_per_gflops / ms.median;
  row.gflops_lo = flops_per_gflops / ms.hi;  // the slowest sample is the lowest rate
  row.gflops_hi = flops_per_gflops / ms.lo;
}

std::string to_json(const Results& r, const std::string& date) {
  const Device& d = r.device;
  std::optional<std::string> capability;
  if (d.compute_capability) capability = capability_text(*d.compute_capability);
  Json json = {{"schema", 1},
               {"date", date},
               {"commit", commit()},
               {"device",
                {{"name", d.name},
                 {"sms", d.sms},
                 {"compute_capability", capability},
                 {"l2_bytes", d.l2_bytes},
                 {"memory_bytes", d.memory_bytes},
                 {"power_cap_w", d.power_cap_w}}},
               {"software",
                {{"driver", r.software.driver},
                 {"cuda", r.software.cuda},
                 {"cublas", r.software.cublas},
                 {"compiler", r.software.compiler}}},
               {"method", to_json(r.method)}};
  for (int i = 0; i < 3; ++i) json["ceilings"][kCeilingNames[i]] = r.ceilings.gflops[i];
  json["ceilings"]["copy_gbs"] = r.ceilings.copy_gbs;
  json["chapters"] = json["rows"] = Json::array();
  for (const Chapter* chapter : r.chapters) json["chapters"].push_back(to_json(*chapter));
  for (const Row& row : r.rows) json["rows"].push_back(to_json(row));
  return json.dump(1) + "\n";
}

std::string with_rows_of(const std::string& text, const std::string& other) {
  Json json = Json::parse(text);
  const Json more = Json::parse(other);
  for (const Json& chapter : more.at("chapters")) json["chapters"].push_back(chapter);
  for (const Json& row : more.at("rows")) {
    if (row.at("chapter") != kCublas) json["rows"].push_back(row);
  }
  return json.dump(1) + "\n";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

}  // namespace harness
