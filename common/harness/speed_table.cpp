#include <harness/speed_table.hpp>

#include <harness/table.hpp>

#include <algorithm>

namespace harness {
namespace {

const Chapter* find_chapter(const Results& results, const std::string& name) {
  for (const Chapter* chapter : results.chapters) {
    if (chapter->name == name) return chapter;
  }
  return nullptr;
}

// The row of the default variant of the chapter before, where both were measured.
const Row* default_before(const Results& results, const std::vector<Row>& rows, const Row& row) {
  if (row.variant != kDefaultVariant) return nullptr;
  for (std::size_t i = 1; i < results.chapters.size(); ++i) {
    if (results.chapters[i]->name != row.chapter) continue;
    for (const Row& other : rows) {
      const bool before = other.chapter == results.chapters[i - 1]->name;
      if (before && other.variant == kDefaultVariant && !other.skipped) return &other;
    }
  }
  return nullptr;
}

// "default" says little to somebody who reads a table: the variant's own name.
std::string shown_variant(const Results& results, const Row& row) {
  const Chapter* chapter = find_chapter(results, row.chapter);
  if (chapter == nullptr || row.variant != kDefaultVariant) return row.variant;
  return chapter->variants.front().name;
}

std::optional<double> over(double value, std::optional<double> whole) {
  if (!whole || *whole <= 0) return std::nullopt;
  return value / *whole;
}

}  // namespace

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
  if (r.method.tuned) text += "; tuned choices";
  if (r.method.cold) text += "; operands change from launch to launch";
  return text + "; median [95% interval]; every result verified\n";
}

std::string speed_table(const Results& results, const std::vector<Row>& rows) {
  double fastest = 0;
  for (const Row& row : rows) fastest = std::max(fastest, row.gflops_median);
  const bool tera = fastest >= 1000;
  Table table({{"chapter", false},
               {"variant", false},
               {"shape", false},
               {tera ? "TFLOPS" : "GFLOPS"},
               {"interval"},
               {"% cuBLAS"},
               {"x before"},
               {"% ceiling"},
               {"SM MHz"},
               {"W"},
               {"rel_err"}});
  for (const Row& row : rows) {
    const std::string variant = shown_variant(results, row);
    if (row.skipped) {
      table.add_note({row.chapter, variant, row.shape.text()}, *row.skipped);
      continue;
    }
    const auto rate = [&](double gflops) { return three_digits(tera ? gflops / 1000 : gflops); };
    const Chapter* chapter = find_chapter(results, row.chapter);
    const Row* before = default_before(results, rows, row);
    std::string interval = rate(row.gflops_lo);
    interval.insert(interval.begin(), '[');
    interval += ", " + rate(row.gflops_hi) + "]";
    table.add(
        {row.chapter, variant, row.shape.text(), rate(row.gflops_median), interval,
         percent(over(row.gflops_median, row.cublas_gflops)),
         times(before != nullptr ? over(row.gflops_median, before->gflops_median) : std::nullopt),
         percent(chapter != nullptr ? over(row.gflops_median, results.ceilings.of(chapter->ceiling))
                                    : std::nullopt),
         fixed(row.sm_mhz, 0), fixed(row.power_w, 0), scientific(row.rel_err)});
  }
  return table.text();
}

std::string ceilings_line(const Ceilings& c) {
  const auto tflops = [](std::optional<double> gflops) {
    return gflops ? three_digits(*gflops / 1000) + " TFLOPS" : std::string("not measured");
  };
  std::string text = "ceilings of this board: fp32 FMA " + tflops(c.ffma) + ", mma.sync " +
                     tflops(c.mma_sync) + ", wgmma " + tflops(c.wgmma);
  if (c.copy_gbs) text += ", copy " + three_digits(*c.copy_gbs / 1000) + " TB/s";
  return text + "\n";
}

}  // namespace harness
