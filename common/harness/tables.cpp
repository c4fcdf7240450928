#include <harness/tables.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace harness {
namespace {

constexpr const char* kNothing = "-";

std::string formatted(const char* format, int decimals, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, decimals, value);
  return text;
}

constexpr std::size_t kColumnsPerTable = 5;

// 4.25 as it is, 8388608 without decimals.
std::string count_text(double value) {
  const bool whole = value == static_cast<double>(static_cast<long long>(value));
  return fixed(value, whole ? 0 : 2);
}

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

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::nullopt});
}

void Table::add_note(std::vector<std::string> cells, std::string note) {
  if (cells.size() > columns_.size()) cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::move(note)});
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.title.size());
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], row.cells[i].size());
    }
  }
  std::string out;
  const auto append_cell = [&](std::size_t i, const std::string& cell) {
    const std::string padding(widths[i] - cell.size(), ' ');
    if (i > 0) out += "  ";
    out += columns_[i].numeric ? padding + cell : cell + padding;
  };
  const auto end_line = [&] {
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) append_cell(i, columns_[i].title);
  end_line();
  for (std::size_t i = 0; i < columns_.size(); ++i) append_cell(i, std::string(widths[i], '-'));
  end_line();
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) append_cell(i, row.cells[i]);
    if (row.note) out += (row.cells.empty() ? "" : "  ") + *row.note;
    end_line();
  }
  return out;
}

std::string three_digits(double value) {
  const double size = std::abs(value);
  return formatted("%.*f", size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
}

std::string fixed(std::optional<double> value, int decimals) {
  return value ? formatted("%.*f", decimals, *value) : kNothing;
}

std::string percent(std::optional<double> fraction) {
  if (!fraction) return kNothing;
  const double value = 100 * *fraction;
  return formatted("%.*f", value < 0.95 ? 2 : 1, value) + "%";
}

std::string times(std::optional<double> ratio) {
  if (!ratio) return kNothing;
  return formatted("%.*f", *ratio < 9.995 ? 2 : 1, *ratio) + "x";
}

std::string scientific(std::optional<double> value) {
  return value ? formatted("%.*e", 1, *value) : kNothing;
}

std::string counter_table(const std::vector<Counted>& all) {
  std::string text;
  for (std::size_t first = 0; first < all.size(); first += kColumnsPerTable) {
    const std::size_t last = std::min(all.size(), first + kColumnsPerTable);
    std::vector<Table::Column> columns = {{"counter", false}};
    for (std::size_t i = first; i < last; ++i) columns.push_back({all[i].label});
    Table table(columns);
    for (std::size_t row = 0; row < all[first].counters.size(); ++row) {
      std::vector<std::string> cells = {all[first].counters[row].first};
      bool seen = false;
      for (std::size_t i = first; i < last; ++i) {
        const double value = all[i].counters.at(row).second;
        seen |= value != 0;
        cells.push_back(count_text(value));
      }
      if (seen) table.add(std::move(cells));
    }
    text += table.text() + "\n";
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
  if (r.method.cold) text += "; operands change from launch to launch";
  const bool few = r.method.mode == "burst" && r.method.rounds.value_or(0) < 6;
  return text + "; median [" + (few ? "minimum, maximum" : "95% interval") +
         "]; every result verified\n";
}

std::string speed_table(const Results& results, const std::vector<Row>& rows) {
  double fastest = 0;
  for (const Row& row : rows) fastest = std::max(fastest, row.gflops_median);
  const bool tera = fastest >= 1000, board = results.method.mode == "sustained";
  std::vector<Table::Column> columns = {
      {"chapter", false}, {"variant", false}, {"shape", false}, {tera ? "TFLOPS" : "GFLOPS"},
      {"interval"},       {"% cuBLAS"},       {"x before"},     {"% ceiling"},
      {"rel_err"}};
  if (board) columns.insert(columns.end(), {{"SM MHz"}, {"W"}});
  Table table(columns);
  for (const Row& row : rows) {
    const std::string variant = shown_variant(results, row);
    if (row.skipped) {
      table.add_note({row.chapter, variant, row.shape.text()}, *row.skipped);
      continue;
    }
    const auto rate = [&](double gflops) { return three_digits(tera ? gflops / 1000 : gflops); };
    const Chapter* chapter = find_chapter(results, row.chapter);
    const Row* before = default_before(results, rows, row);
    const std::string interval =
        std::string("[") + rate(row.gflops_lo) + ", " + rate(row.gflops_hi) + "]";
    std::vector<std::string> cells = {
        row.chapter,
        variant,
        row.shape.text(),
        rate(row.gflops_median),
        interval,
        percent(over(row.gflops_median, row.cublas_gflops)),
        times(before != nullptr ? over(row.gflops_median, before->gflops_median) : std::nullopt),
        percent(chapter != nullptr ? over(row.gflops_median, results.ceilings.of(chapter->ceiling))
                                   : std::nullopt),
        scientific(row.rel_err)};
    if (board) cells.insert(cells.end(), {fixed(row.sm_mhz, 0), fixed(row.power_w, 0)});
    table.add(cells);
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
