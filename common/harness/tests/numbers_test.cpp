// From samples to statistics, tables and result files.

#include <test/catch.hpp>

#include <harness/job.hpp>

#include <nlohmann/json.hpp>

#include <numeric>
#include <set>

using namespace harness;

TEST_CASE("the interval's ends are the order statistics that tables give for 95%") {
  // n, lower rank: from tables of the sign test's confidence interval for a median.
  const std::pair<int, int> ranks[] = {{1, 1},  {5, 1},  {6, 1},  {8, 1},   {9, 2},   {12, 3},
                                       {15, 4}, {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}};
  for (const auto& [n, rank] : ranks) {
    std::vector<double> samples(static_cast<std::size_t>(n));
    std::iota(samples.begin(), samples.end(), 1.0);
    const Estimate e = estimate(samples);
    CAPTURE(n);
    CHECK((e.lo == rank && e.hi == n + 1 - rank));
  }
}

TEST_CASE("a round is a permutation, and positions are shared out evenly") {
  const std::size_t count = GENERATE(1, 2, 3, 7, 11);
  const auto all = turns(std::vector<double>(count, 1), static_cast<int>(2 * count), 1e9);
  REQUIRE(all.size() == 2 * count * count);
  std::multiset<std::pair<std::size_t, std::size_t>> places;  // place in the round, kernel
  for (std::size_t at = 0; at < all.size(); ++at) places.emplace(at % count, all[at].kernel);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK((places.count({0, i}) == 2 && places.count({count - 1, i}) == 2));
  }
  for (std::size_t at = 0; at < all.size(); at += count) {
    std::set<std::size_t> round;
    for (std::size_t i = 0; i < count; ++i) round.insert(all[at + i].kernel);
    CHECK(round.size() == count);
  }
}

TEST_CASE("slow kernels take part in fewer rounds, spread over all of them") {
  struct Row {
    int wanted;
    double sample_ms;
    int taken;
  };
  const Row row = GENERATE(
      values<Row>({{15, 66, 15}, {15, 600, 10}, {15, 2000, 3}, {15, 5000, 3}, {2, 5000, 2}}));
  CHECK(turns({row.sample_ms}, row.wanted, 6000).size() == static_cast<std::size_t>(row.taken));
  std::vector<int> rounds;
  for (const Turn& turn : turns({1, 600}, 6, 2000)) {
    if (turn.kernel == 1) rounds.push_back(turn.round);
  }
  CHECK(rounds == std::vector<int>{1, 3, 5});
}

namespace {

Row measured(const std::string& chapter, double gflops) {
  return {.chapter = chapter,
          .variant = kDefaultVariant,
          .shape = {4096, 4096, 4096},
          .mode = "burst",
          .gflops_median = gflops,
          .gflops_lo = gflops,
          .gflops_hi = gflops,
          .cublas_gflops = 800000};
}

const Chapter kOne{.name = "01_one",
                   .title = "One",
                   .idea = "the idea",
                   .variants = {{"plain", "as it is", nullptr}, {"other", "", nullptr}}},
    kTwo{.name = "02_two", .title = "Two", .idea = "", .variants = {{"plain", "", nullptr}}};

}  // namespace

TEST_CASE("the speed table compares with the chapter before, cuBLAS and the ceiling") {
  Results results;
  results.chapters = {&kOne, &kTwo};
  results.ceilings.of(Ceiling::kFfma) = 64000;
  const auto says = [&](const std::vector<Row>& rows, const char* part) {
    return speed_table(results, rows).find(part) != std::string::npos;
  };
  const std::vector<Row> both = {measured("01_one", 500), measured("02_two", 32000)};
  // 32000 over 500, of cuBLAS, of the ceiling, and the variant's own name.
  for (const char* part : {"TFLOPS", "64.0x", "4.0%", "50.0%", "plain"}) CHECK(says(both, part));
  CHECK_FALSE(says(both, "\x1b"));
  CHECK(says({measured("01_one", 512)}, "GFLOPS"));

  Row left_out = measured("01_one", 0);
  left_out.skipped = "left out: one launch would take about 2.2 s";
  CHECK(says({left_out, both[1]}, "about 2.2 s\n"));
  CHECK_FALSE(says({left_out, both[1]}, "64.0x"));

  results.asked.mode = "sustained";
  results.asked.rounds = 3;
  results.asked.cold = true;
  results.before_ms = 700;
  for (const char* part : {"700 ms of the same kernel", "order: 3", "from launch to launch"}) {
    CHECK(heading(results).find(part) != std::string::npos);
  }
  CHECK(says(both, "SM MHz"));
  CHECK(ceilings_line(results.ceilings).find("FMA 64.0 TFLOPS, mma.sync not") != std::string::npos);
}

TEST_CASE("a result file has the agreed fields") {
  Results results;
  results.device.name = "a GPU";
  results.device.compute_capability = 90;
  results.before_ms = 60;
  results.ceilings.of(Ceiling::kFfma) = 63600.0;
  results.chapters = {&kOne};
  Row row = measured("01_one", 0);
  row.shape = {1000, 1000, 1000};
  row.samples_ms = {1.0, 2.0, 4.0};
  set_gflops(row);
  Row skipped = row, counted = row;
  skipped.skipped = "because";
  counted.mode = "counters";
  counted.counters = {{"global_load_sectors", 12.0}};
  results.rows = {row, skipped, counted};

  const auto json = nlohmann::json::parse(to_json(results, "2026-01-31T12:00:00Z"));
  const std::pair<const char*, nlohmann::json> fields[] = {
      {"/schema", 1},
      {"/date", "2026-01-31T12:00:00Z"},
      {"/commit", commit()},
      {"/device/compute_capability", "9.0"},
      {"/device/power_cap_w", nullptr},
      {"/method/rest_ms", 60},
      {"/ceilings/ffma", 63600.0},
      {"/ceilings/wgmma", nullptr},  // a device without
      {"/chapters/0/ceiling", "ffma"},
      {"/chapters/0/variants/1/default", false},
      {"/rows/0/variant", "default"},
      {"/rows/0/m", 1000},
      {"/rows/0/dtype", "bf16"},
      {"/rows/0/gflops_lo", 500.0},  // 2e9 operations in 4 ms, the slowest sample
      {"/rows/0/samples_ms", {1.0, 2.0, 4.0}},
      {"/rows/0/cublas_gflops", 800000.0},
      {"/rows/1/skipped", "because"},
      {"/rows/2/counters/global_load_sectors", 12.0},
  };
  for (const auto& [path, value] : fields) {
    CAPTURE(path);
    CHECK(json.at(nlohmann::json::json_pointer(path)) == value);
  }
  CHECK_FALSE(json["method"].contains("preheat_ms"));
  CHECK_FALSE(json["rows"][1].contains("gflops_median"));
}

TEST_CASE("a chapter that needs more than the GPU has says what") {
  Chapter chapter{.name = "02_two", .title = "", .idea = "", .min_compute_capability = 90};
  CHECK_FALSE(why_unsupported(chapter, 120).has_value());
  CHECK_FALSE(why_unsupported(chapter, std::nullopt).has_value());  // the CPU backend
  chapter.ceiling = Ceiling::kWgmma;
  CHECK_FALSE(why_unsupported(chapter, 90).has_value());
  CHECK(why_unsupported(chapter, 86) == "02_two: needs compute capability 9.0; this GPU has 8.6");
  CHECK(why_unsupported(chapter, 120) ==
        "02_two: needs compute capability 9.0, the only one with wgmma; this GPU has 12.0");
}
