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
          {"dram_bytes_per_second", or_null(d.dram_bytes_per_second)},
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
  if (m.asked.cold) json["cold"] = true;
  if (m.asked.layout != "tn") json["layout"] = m.asked.layout;
  if (m.asked.epilogue != "identity") json["epilogue"] = m.asked.epilogue;
  if (m.asked.fp32_c) json["c_dtype"] = "fp32";
  add("async", m.async);
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
  Json json = {{"chapter", r.chapter}, {"variant", r.variant},
               {"m", r.shape.m},       {"n", r.shape.n},
               {"k", r.shape.k},       {"dtype", std::string(gemm::name(r.dtype))},
               {"mode", r.mode}};
  if (r.skipped) {
    json["skipped"] = *r.skipped;
  } else if (r.mode == "counters") {
    json["counters"] = Json::object();
    for (const auto& [key, value] : r.counters) json["counters"][key] = value;
    json["rel_err"] = or_null(r.rel_err);
  } else {
    json.update({{"gflops_median", r.gflops_median},
                 {"gflops_lo", r.gflops_lo},
                 {"gflops_hi", r.gflops_hi},
                 {"cublas_gflops", or_null(r.cublas_gflops)},
                 {"cublas_default_gflops", or_null(r.cublas_default_gflops)},
                 {"sm_mhz", or_null(r.sm_mhz)},
                 {"power_w", or_null(r.power_w)},
                 {"rel_err", or_null(r.rel_err)},
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

std::string to_json(const Results& results, const std::string& date) {
  Json json = {{"schema", 1}, {"date", date}, {"commit", commit()}};
  json["device"] = to_json(results.device);
  json["software"] = to_json(results.software);
  json["method"] = to_json(results.method);
  for (int i = 0; i < 3; ++i) {
    json["ceilings"][kCeilingNames[i]] = or_null(results.ceilings.gflops[i]);
  }
  json["ceilings"]["copy_gbs"] = or_null(results.ceilings.copy_gbs);
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
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

}  // namespace harness
