#include <harness/results.hpp>

#include <harness/statistics.hpp>

#include <nlohmann/json.hpp>

#include <ctime>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order in which a reader wants to see the fields

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Device& d) {
  Json capability = nullptr;
  if (d.compute_capability) capability = capability_text(*d.compute_capability);
  return {{"name", d.name},
          {"sms", or_null(d.sms)},
          {"compute_capability", capability},
          {"l2_bytes", or_null(d.l2_bytes)},
          {"memory_bytes", or_null(d.memory_bytes)},
          {"power_cap_w", or_null(d.power_cap_w)}};
}

Json to_json(const Software& s) {
  return {{"driver", or_null(s.driver)},
          {"cuda", or_null(s.cuda)},
          {"cublas", or_null(s.cublas)},
          {"compiler", s.compiler}};
}

Json to_json(const Method& m) {
  Json json = {{"mode", m.mode}};
  const auto add = [&json](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  add("rest_ms", m.rest_ms);
  add("rounds", m.rounds);
  add("burst_ms", m.burst_ms);
  add("preheat_ms", m.preheat_ms);
  add("sustained_ms", m.sustained_ms);
  if (m.cold) json["cold"] = true;
  if (m.layout) json["layout"] = *m.layout;
  if (m.epilogue) json["epilogue"] = *m.epilogue;
  if (m.c_dtype) json["c_dtype"] = *m.c_dtype;
  add("async", m.async);
  return json;
}

Json to_json(const Ceilings& c) {
  return {{"ffma", or_null(c.ffma)},
          {"mma_sync", or_null(c.mma_sync)},
          {"wgmma", or_null(c.wgmma)},
          {"copy_gbs", or_null(c.copy_gbs)}};
}

Json to_json(const Chapter& chapter) {
  Json variants = Json::array();
  const auto add = [&variants](const std::vector<Variant>& list, bool first_is_default) {
    for (const Variant& v : list) {
      variants.push_back({{"name", v.name},
                          {"summary", v.summary},
                          {"default", first_is_default && &v == &list.front()}});
    }
  };
  add(chapter.variants, true);
  add(chapter.tunings, false);
  add(chapter.ablations, false);
  return {{"name", chapter.name},
          {"title", chapter.title},
          {"idea", chapter.idea},
          {"ceiling", std::string(name(chapter.ceiling))},
          {"variants", variants}};
}

Json to_json(const Row& r) {
  Json json = {{"chapter", r.chapter}, {"variant", r.variant},
               {"m", r.shape.m},       {"n", r.shape.n},
               {"k", r.shape.k},       {"dtype", std::string(gemm::name(r.dtype))},
               {"mode", r.mode}};
  if (r.skipped) {
    json["skipped"] = *r.skipped;
    return json;
  }
  if (r.mode == "counters") {
    Json counters = Json::object();
    for (const auto& [key, value] : r.counters) counters[key] = value;
    json["counters"] = counters;
    json["rel_err"] = or_null(r.rel_err);
    return json;
  }
  json["gflops_median"] = r.gflops_median;
  json["gflops_lo"] = r.gflops_lo;
  json["gflops_hi"] = r.gflops_hi;
  json["cublas_gflops"] = or_null(r.cublas_gflops);
  json["cublas_default_gflops"] = or_null(r.cublas_default_gflops);
  json["sm_mhz"] = or_null(r.sm_mhz);
  json["power_w"] = or_null(r.power_w);
  json["rel_err"] = or_null(r.rel_err);
  json["samples_ms"] = r.samples_ms;
  json["graph"] = r.graph;
  json["buffers"] = r.buffers;
  return json;
}

}  // namespace

std::optional<double> Ceilings::of(Ceiling ceiling) const {
  switch (ceiling) {
    case Ceiling::kFfma:
      return ffma;
    case Ceiling::kMmaSync:
      return mma_sync;
    case Ceiling::kWgmma:
      return wgmma;
  }
  return std::nullopt;
}

void set_gflops(Row& row) {
  const Estimate ms = estimate(row.samples_ms);
  const double flops_per_gflops = row.shape.flops() * 1e-6;  // / ms = GFLOPS
  row.gflops_median = flops_per_gflops / ms.median;
  row.gflops_lo = flops_per_gflops / ms.hi;  // the slowest sample is the lowest rate
  row.gflops_hi = flops_per_gflops / ms.lo;
}

std::string to_json(const Results& results, const std::string& date) {
  Json json = {{"schema", 1}, {"date", date}, {"commit", commit()}};
  json["device"] = to_json(results.device);
  json["software"] = to_json(results.software);
  json["method"] = to_json(results.method);
  json["ceilings"] = to_json(results.ceilings);
  json["chapters"] = Json::array();
  for (const Chapter* chapter : results.chapters) json["chapters"].push_back(to_json(*chapter));
  json["rows"] = Json::array();
  for (const Row& row : results.rows) json["rows"].push_back(to_json(row));
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
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace harness
