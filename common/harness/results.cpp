#include <harness/results.hpp>

#include <core/error.hpp>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cmath>
#include <cstdarg>
#include <ctime>
#include <map>
#include <set>
#include <span>

template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(auto& json, const std::optional<T>& value) {
    if (value) json = *value;
  }
};

namespace harness {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order in which a reader wants to see the fields

// What a measurement's method has of the options, where they are not the usual ones.
Json asked(const Options& o) {
  return {{"rounds", o.rounds}, {"sweep_seed", o.sweep},  {"cold", o.cold},
          {"layout", o.layout}, {"epilogue", o.epilogue}, {"c_dtype", o.c_dtype},
          {"async", o.async}};
}

Json method_of(const Results& r) {
  Json json = {{"mode", r.mode()}};
  for (const auto& [key, value] : r.method) json[key] = value;
  const Json given = asked(r.asked), usual = asked({});
  for (const auto& [key, value] : given.items()) {
    if (value != usual[key]) json[key] = value;
  }
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
    json["counters"] = Json::object_t(r.counters.begin(), r.counters.end());
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

// About three significant digits without an exponent: 0.512, 47.1, 825.
std::string three_digits(double value) {
  return formatted("%.*f", value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}

std::string or_dash(const char* format, std::optional<double> value) {
  return value ? formatted(format, *value) : "-";
}

}  // namespace

void set_gflops(Row& row) {
  const Estimate ms = estimate(row.samples_ms);
  const double flops_per_gflops = 2e-6 * row.shape.m * row.shape.n * row.shape.k;  // / ms = GFLOPS
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
                 {"dram_bytes_per_second", d.dram_bytes_per_second},
                 {"memory_bytes", d.memory_bytes},
                 {"power_cap_w", d.power_cap_w}}},
               {"software", Json::object_t(r.software.begin(), r.software.end())},
               {"method", method_of(r)}};
  for (int i = 0; i < 3; ++i) json["ceilings"][kCeilingNames[i]] = r.ceilings.gflops[i];
  json["ceilings"]["copy_gbs"] = r.ceilings.copy_gbs;
  json["chapters"] = Json::array();
  for (const Chapter* chapter : r.chapters) json["chapters"].push_back(to_json(*chapter));
  json["rows"] = r.earlier.empty() ? Json::array() : Json::parse(r.earlier).at("rows");
  for (const Row& row : r.rows) json["rows"].push_back(to_json(row));
  return json.dump(1) + "\n";
}

std::size_t shapes_in(const std::string& file, const Results& results) {
  if (file.empty()) return 0;
  const Json json = Json::parse(file, nullptr, false);
  const auto holds = [&](const char* pointer, const Json& value) {
    return json.is_object() && json.value(Json::json_pointer(pointer), Json()) == value;
  };
  if (!holds("/method/sweep_seed", *results.asked.sweep) ||
      !holds("/method/mode", results.mode()) || !holds("/device/name", results.device.name)) {
    throw core::Refused("--json " + *results.asked.json +
                        ": holds something else than this sweep on this device");
  }
  std::set<Shape> shapes;
  for (const Json& row : json.at("rows")) shapes.insert({row.at("m"), row.at("n"), row.at("k")});
  return shapes.size();
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

std::string formatted(const char* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, arguments)), ' ');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(arguments);
  va_end(again);
  return text;
}

void print(const std::string& text, std::FILE* to) {
  progress("");
  std::fputs(text.c_str(), to);
  std::fflush(to);
}

std::string counter_table(const std::vector<std::pair<std::string, Counters>>& kernels) {
  constexpr std::size_t kColumnsPerTable = 5;
  std::string text;
  for (std::size_t first = 0; first < kernels.size(); first += kColumnsPerTable) {
    const std::size_t count = std::min(kColumnsPerTable, kernels.size() - first);
    const auto columns = std::span(kernels).subspan(first, count);
    const auto cell = [](const std::string& label, const std::string& value) {
      return formatted("  %*s", std::max(12, static_cast<int>(label.size())), value.c_str());
    };
    text += formatted("%-32s", "counter");
    for (const auto& [label, counters] : columns) text += cell(label, label);
    for (std::size_t row = 0; row < columns[0].second.size(); ++row) {
      std::string line = formatted("\n%-32s", columns[0].second[row].first.c_str());
      bool seen = false;
      for (const auto& [label, counters] : columns) {
        const double value = counters[row].second;
        seen |= value != 0;
        line += cell(label, formatted("%.*f", value == std::floor(value) ? 0 : 2, value));
      }
      if (seen) text += line;
    }
    text += "\n\n";
  }
  return text;
}

std::string heading(const Results& r) {
  const int rounds = r.asked.rounds.value_or(0);
  std::string text = r.device.name + formatted(", %d SMs", r.device.sms.value_or(0));
  if (r.device.power_cap_w) text += formatted(", %.0f W", *r.device.power_cap_w);
  for (const auto& [what, version] : r.software) text += ", " + what + " " + version;
  text += "\n" + r.asked.mode + ":";
  for (const auto& [key, value] : r.method) text += formatted(" %s %.0f,", key.c_str(), value);
  text += formatted(" rounds in changing order: %d%s; median [%s]; every result verified\n", rounds,
                    r.asked.cold ? "; operands change from launch to launch" : "",
                    r.asked.mode == "burst" && rounds < 6 ? "minimum, maximum" : "95% interval");
  text += "ceilings of this board, in TFLOPS (copies in TB/s):";
  for (int i = 0; i < 3; ++i) {
    const auto ceiling = r.ceilings.gflops[i];
    text += formatted(" %s %s,", kCeilingNames[i],
                      ceiling ? three_digits(*ceiling / 1000).c_str() : "-");
  }
  return text + formatted(" copy %.2f\n", r.ceilings.copy_gbs.value_or(0) / 1000);
}

std::string speed_table(const Results& results, const std::vector<Row>& rows) {
  const auto rate = [](double gflops) { return three_digits(gflops / 1000); };
  std::map<std::string, double> defaults;
  int width = 16;  // of the variants' names
  for (const Row& row : rows) {
    if (row.variant == kDefaultVariant && !row.skipped) defaults[row.chapter] = row.gflops_median;
    width = std::max(width, static_cast<int>(row.variant.size()));
  }
  constexpr const char* kNames = "%-20s  %-*s  %-16s";
  const std::string numbers = std::string("%8s  %-16s %9s %9s %9s  %7s") +
                              (results.mode() == "sustained" ? " %7s %5s\n" : "\n");
  std::string text = formatted(kNames, "chapter", width, "variant", "shape") +
                     formatted(numbers.c_str(), "TFLOPS", "interval", "% cuBLAS", "x before",
                               "% ceiling", "rel_err", "SM MHz", "W");
  for (const Row& row : rows) {
    // "default" says little to somebody who reads a table: the variant's own name.
    std::string variant = row.variant;
    std::optional<double> ceiling, before;
    const auto chapter = std::ranges::find(results.chapters, row.chapter, &Chapter::name);
    if (chapter != results.chapters.end()) {
      ceiling = results.ceilings.gflops[static_cast<int>((*chapter)->ceiling)];
      if (variant == kDefaultVariant) variant = (*chapter)->variants.front().name;
      const bool first = chapter == results.chapters.begin() || row.variant != kDefaultVariant;
      if (!first && defaults.contains(chapter[-1]->name)) before = defaults[chapter[-1]->name];
    }
    text +=
        formatted(kNames, row.chapter.c_str(), width, variant.c_str(), row.shape.text().c_str());
    if (row.skipped) {
      text += "  " + *row.skipped + "\n";
      continue;
    }
    const auto percent_of = [&](std::optional<double> whole) {
      return whole ? formatted("%.1f%%", 100 * row.gflops_median / *whole) : "-";
    };
    const std::string interval = "[" + rate(row.gflops_lo) + ", " + rate(row.gflops_hi) + "]";
    text += formatted(numbers.c_str(), rate(row.gflops_median).c_str(), interval.c_str(),
                      percent_of(row.cublas_gflops).c_str(),
                      before ? (three_digits(row.gflops_median / *before) + "x").c_str() : "-",
                      percent_of(ceiling).c_str(), or_dash("%.1e", row.rel_err).c_str(),
                      or_dash("%.0f", row.sm_mhz).c_str(), or_dash("%.0f", row.power_w).c_str());
  }
  return text;
}

void progress(const std::string& what) {
  static bool shown = false;
  if (shown) std::fputs("\r\x1b[K", stderr);
  shown = !what.empty() && isatty(STDERR_FILENO) != 0;
  if (shown) std::fputs(what.substr(0, 79).c_str(), stderr);  // what wraps could not be removed
}

}  // namespace harness
