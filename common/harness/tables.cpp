#include <harness/tables.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace harness {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kColumnsPerTable = 5;

std::string formatted(const char* format, int decimals, std::optional<double> value) {
  if (!value) return "-";
  char text[64];
  std::snprintf(text, sizeof text, format, decimals, *value);
  return text;
}

// About three significant digits without an exponent: 0.512, 47.1, 825.
std::string three_digits(double value) {
  return fixed(value, value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::optional<double> over(double value, std::optional<double> whole) {
  if (!whole || *whole <= 0) return std::nullopt;
  return value / *whole;
}

std::string percent(double value, std::optional<double> whole) {
  const auto fraction = over(value, whole);
  return fraction ? fixed(100 * *fraction, *fraction < 0.0095 ? 2 : 1) + "%" : "-";
}

// Titles, a rule, and lines below them, the first `words` columns aligned on the left, numbers on
// the right. A line with fewer cells than titles ends in a note that reaches across the rest.
std::string table(const std::vector<Words>& lines, std::size_t words) {
  const std::size_t columns = lines.front().size();
  std::vector<std::size_t> widths(columns);
  for (const Words& line : lines) {
    const std::size_t cells = line.size() < columns ? line.size() - 1 : columns;
    for (std::size_t i = 0; i < cells; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  const auto append = [&](const Words& line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - std::min(widths[i], line[i].size()), ' ');
      const bool left = i < words || line.size() < columns;
      out += (i > 0 ? "  " : "") + (left ? line[i] + padding : padding + line[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  append(lines.front());
  Words rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  append(rule);
  std::for_each(lines.begin() + 1, lines.end(), append);
  return out;
}

const Row* default_row(const std::vector<Row>& rows, const Chapter& chapter) {
  for (const Row& row : rows) {
    const bool wanted = row.chapter == chapter.name && row.variant == kDefaultVariant;
    if (wanted && !row.skipped) return &row;
  }
  return nullptr;
}

}  // namespace

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::string fixed(std::optional<double> value, int decimals) {
  return formatted("%.*f", decimals, value);
}

std::string scientific(std::optional<double> value) {
  return formatted("%.*e", 1, value);
}

std::string counter_table(const std::vector<Counted>& all) {
  std::string text;
  for (std::size_t first = 0; first < all.size(); first += kColumnsPerTable) {
    const std::size_t last = std::min(all.size(), first + kColumnsPerTable);
    std::vector<Words> lines = {{"counter"}};
    for (std::size_t i = first; i < last; ++i) lines.front().push_back(all[i].label);
    for (std::size_t row = 0; row < all[first].counters.size(); ++row) {
      Words cells = {all[first].counters[row].first};
      bool seen = false;
      for (std::size_t i = first; i < last; ++i) {
        const double value = all[i].counters.at(row).second;
        seen |= value != 0;
        cells.push_back(fixed(value, value == std::floor(value) ? 0 : 2));
      }
      if (seen) lines.push_back(std::move(cells));
    }
    text += table(lines, 1) + "\n";
  }
  return text;
}

std::string heading(const Results& r) {
  const auto known = [](const char* what, const std::optional<std::string>& value) {
    return value ? std::string(", ") + what + " " + *value : std::string();
  };
  std::string text = r.device.name;
  if (r.device.sms) text += ", " + std::to_string(*r.device.sms) + " SMs";
  if (r.device.power_cap_w) text += ", " + fixed(r.device.power_cap_w, 0) + " W";
  text += known("driver", r.software.driver) + known("CUDA", r.software.cuda) +
          known("cuBLAS", r.software.cublas) + "\n";
  if (r.method.mode == "burst") {
    text += "burst: " + fixed(r.method.rest_ms, 0) + " ms of rest, one warm-up, then " +
            fixed(r.method.burst_ms, 0) + " ms of launches";
  } else {
    text += "sustained: " + fixed(r.method.preheat_ms, 0) + " ms of the same kernel, then " +
            fixed(r.method.sustained_ms, 0) + " ms measured";
  }
  if (r.method.rounds) text += "; rounds in changing order: " + std::to_string(*r.method.rounds);
  if (r.method.asked.cold) text += "; operands change from launch to launch";
  const bool few = r.method.mode == "burst" && r.method.rounds.value_or(0) < 6;
  return text + "; median [" + (few ? "minimum, maximum" : "95% interval") +
         "]; every result verified\n";
}

std::string speed_table(const Results& results, const std::vector<Row>& rows) {
  double fastest = 0;
  for (const Row& row : rows) fastest = std::max(fastest, row.gflops_median);
  const bool tera = fastest >= 1000, board = results.method.mode == "sustained";
  const auto rate = [&](double gflops) { return three_digits(tera ? gflops / 1000 : gflops); };
  std::vector<Words> lines = {{"chapter", "variant", "shape", tera ? "TFLOPS" : "GFLOPS",
                               "interval", "% cuBLAS", "x before", "% ceiling", "rel_err"}};
  if (board) lines.front().insert(lines.front().end(), {"SM MHz", "W"});
  for (const Row& row : rows) {
    // "default" says little to somebody who reads a table: the variant's own name.
    std::string variant = row.variant;
    std::optional<double> before, ceiling;
    for (std::size_t i = 0; i < results.chapters.size(); ++i) {
      const Chapter& chapter = *results.chapters[i];
      if (chapter.name != row.chapter) continue;
      ceiling = results.ceilings.gflops[static_cast<int>(chapter.ceiling)];
      if (row.variant != kDefaultVariant) continue;
      variant = chapter.variants.front().name;
      const Row* other = i == 0 ? nullptr : default_row(rows, *results.chapters[i - 1]);
      if (other != nullptr) before = over(row.gflops_median, other->gflops_median);
    }
    if (row.skipped) {
      lines.push_back({row.chapter, variant, row.shape.text(), *row.skipped});
      continue;
    }
    lines.push_back({row.chapter, variant, row.shape.text(), rate(row.gflops_median),
                     "[" + rate(row.gflops_lo) + ", " + rate(row.gflops_hi) + "]",
                     percent(row.gflops_median, row.cublas_gflops),
                     before ? fixed(before, *before < 9.995 ? 2 : 1) + "x" : "-",
                     percent(row.gflops_median, ceiling), scientific(row.rel_err)});
    if (!board) continue;
    lines.back().insert(lines.back().end(), {fixed(row.sm_mhz, 0), fixed(row.power_w, 0)});
  }
  return table(lines, 3);
}

std::string ceilings_line(const Ceilings& c) {
  const auto tflops = [](std::optional<double> gflops) {
    return gflops ? three_digits(*gflops / 1000) + " TFLOPS" : std::string("not measured");
  };
  std::string text = "ceilings of this board: fp32 FMA " + tflops(c.gflops[0]) + ", mma.sync " +
                     tflops(c.gflops[1]) + ", wgmma " + tflops(c.gflops[2]);
  if (c.copy_gbs) text += ", copy " + three_digits(*c.copy_gbs / 1000) + " TB/s";
  return text + "\n";
}

}  // namespace harness
