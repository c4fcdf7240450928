// From a seed to shapes, from samples to statistics, tables and result files.

#include <test/catch.hpp>

#include <harness/job.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <numeric>
#include <set>

using namespace harness;

TEST_CASE("the interval's ends are the order statistics that tables give for 95%") {
  // n, lower rank: from tables of the sign test's confidence interval for a median.
  const auto [n, rank] = GENERATE(table<int, int>(
      {{1, 1}, {6, 1}, {8, 1}, {9, 2}, {12, 3}, {15, 4}, {20, 6}, {30, 10}, {50, 18}, {100, 40}}));
  std::vector<double> samples(static_cast<std::size_t>(n));
  std::iota(samples.begin(), samples.end(), 1.0);
  const Estimate e = estimate(samples);
  CHECK((e.lo == rank && e.hi == n + 1 - rank));
}

TEST_CASE("a round is a permutation, and positions are shared out evenly") {
  const std::size_t count = GENERATE(1, 2, 3, 7, 11);
  const auto all = turns(std::vector<double>(count, 1), static_cast<int>(2 * count), 1e9);
  REQUIRE(all.size() == 2 * count * count);
  std::set<std::pair<std::size_t, std::size_t>> rounds;  // and the kernel
  std::map<std::size_t, int> first, last;                // how often a kernel is
  for (std::size_t at = 0; at < all.size(); ++at) {
    rounds.emplace(at / count, all[at].kernel);
    if (at % count == 0) ++first[all[at].kernel];
    if (at % count == count - 1) ++last[all[at].kernel];
  }
  CHECK(rounds.size() == all.size());
  for (std::size_t i = 0; i < count; ++i) CHECK((first[i] == 2 && last[i] == 2));
}

TEST_CASE("slow kernels take part in fewer rounds, spread over all of them") {
  // Rounds, milliseconds of a sample, rounds that are taken.
  const auto [wanted, sample_ms, taken] = GENERATE(table<int, double, std::size_t>(
      {{15, 66, 15}, {15, 600, 10}, {15, 2000, 3}, {15, 5000, 3}, {2, 5000, 2}}));
  CHECK(turns({sample_ms}, wanted, 6000).size() == taken);
  std::vector<int> rounds;
  for (const Turn& turn : turns({1, 600}, 6, 2000)) {
    if (turn.kernel == 1) rounds.push_back(turn.round);
  }
  CHECK(rounds == std::vector<int>{1, 3, 5});
}

namespace {

// Of the 2e9 operations of 1000^3.
Row measured(const std::string& chapter, std::vector<double> samples_ms) {
  Row row{.chapter = chapter,
          .variant = kDefaultVariant,
          .shape = {1000, 1000, 1000},
          .mode = "burst",
          .cublas_gflops = 800000,
          .samples_ms = std::move(samples_ms)};
  set_gflops(row);
  return row;
}

const std::vector<Variant> kVariants = {{"plain", "as it is", nullptr}, {"other", "", nullptr}};
const Chapter kOne{.name = "01_one", .title = "One", .idea = "", .variants = kVariants},
    kTwo{.name = "02_two", .title = "Two", .idea = "", .variants = kVariants};

}  // namespace

TEST_CASE("the speed table compares with the chapter before, cuBLAS and the ceiling") {
  Results results;
  results.chapters = {&kOne, &kTwo};
  results.ceilings.of(Ceiling::kFfma) = 64000;
  results.asked.mode = "sustained";
  std::vector<Row> rows = {measured("01_one", {4}), measured("02_two", {0.0625})};
  const auto says = [&](const char* part) {
    return speed_table(results, rows).find(part) != std::string::npos;
  };
  // 32000 over 500 GFLOPS, of cuBLAS, of the ceiling, the variant's own name.
  for (const char* part : {"TFLOPS", "64.0x", "4.0%", "50.0%", "plain", "SM MHz"}) {
    CHECK(says(part));
  }
  rows[0].skipped = "left out: one launch would take about 2.2 s";
  CHECK((says("about 2.2 s\n") && !says("64.0x")));
}

TEST_CASE("a result file has the agreed fields") {
  Results results;
  results.device.compute_capability = 90;
  results.method = {{"rest_ms", 60}};
  results.ceilings.of(Ceiling::kFfma) = 63600.0;
  results.chapters = {&kOne};
  results.rows = {3, measured("01_one", {1.0, 2.0, 4.0})};
  results.rows[1].skipped = "because";
  results.rows[2].mode = "counters";
  results.rows[2].counters = {{"global_load_sectors", 12.0}};
  const auto json = nlohmann::json::parse(to_json(results, "2026-01-31T12:00:00Z"));
  const nlohmann::json fields = {
      {"/schema", 1},
      {"/date", "2026-01-31T12:00:00Z"},
      {"/device/compute_capability", "9.0"},
      {"/device/power_cap_w", nullptr},
      {"/method/rest_ms", 60},
      {"/ceilings/ffma", 63600.0},
      {"/ceilings/wgmma", nullptr},  // a device without
      {"/chapters/0/ceiling", "ffma"},
      {"/chapters/0/variants/1/default", false},
      {"/rows/0/variant", "default"},
      {"/rows/0/m", 1000},
      {"/rows/0/gflops_lo", 500.0},  // 2e9 operations in 4 ms, the slowest sample
      {"/rows/0/samples_ms", {1.0, 2.0, 4.0}},
      {"/rows/0/cublas_gflops", 800000.0},
      {"/rows/1/skipped", "because"},
      {"/rows/2/counters/global_load_sectors", 12.0},
  };
  for (const auto& [path, value] : fields.items()) {
    CAPTURE(path);
    CHECK(json.at(nlohmann::json::json_pointer(path)) == value);
  }
  CHECK_FALSE(json["rows"][1].contains("gflops_median"));
  // The same file as the beginning of a sweep: all three rows are of one shape.
  results.asked.sweep = 1;
  results.asked.json = "sweep.json";
  const std::string sweep = to_json(results, utc_now());
  CHECK(shapes_in(sweep, results) == 1);
  results.asked.sweep = 2;
  CHECK_THROWS_AS(shapes_in(sweep, results), core::Refused);
}

TEST_CASE("a chapter that needs more than the GPU has says what") {
  Chapter chapter = kTwo;
  chapter.min_compute_capability = 90;
  CHECK_FALSE(why_unsupported(chapter, 120).has_value());
  CHECK(why_unsupported(chapter, 86) == "02_two: needs compute capability 9.0; this GPU has 8.6");
  chapter.ceiling = Ceiling::kWgmma;
  CHECK(why_unsupported(chapter, 120) ==
        "02_two: needs compute capability 9.0, the only one with wgmma; this GPU has 12.0");
}

TEST_CASE("sweep: the same everywhere, each shape once and in range, none that was tuned for") {
  const std::vector<Shape> first = {{338, 2048, 1536}, {384, 384, 384}, {1400, 1608, 384}};
  CHECK(sweep_shapes(1, 3) == first);
  CHECK(sweep_shapes(20260131, 3)[2].text() == "1632x1000x352");
  std::set<Shape> tuned;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    for (const Shape& shape : sweep_shapes(seed, kSweepCount)) tuned.insert(shape);
  }
  const std::uint64_t seed = GENERATE(1, 9, 10, 20260131, 202601312);
  const std::vector<Shape> shapes = sweep_shapes(seed, kSweepCount);
  CHECK(std::set(shapes.begin(), shapes.end()).size() == kSweepCount);
  int squares = 0, multiples = 0;
  for (const Shape& s : shapes) {
    const auto [least, most] = std::minmax({s.m, s.n, s.k});
    CAPTURE(seed, s.text());
    CHECK((s.n % 8 == 0 && s.k % 8 == 0 && least >= 1));
    CHECK(tuned.contains(s) == (seed <= 9));
    if (least != most) continue;
    ++squares;
    multiples += s.m % 128 == 0;
    CHECK((s.m % 16 == 0 && s.m >= 256 && s.m <= 8192));
  }
  CHECK(squares >= 3 * kSweepCount / 10);
  CHECK(multiples * 2 >= squares);
}
