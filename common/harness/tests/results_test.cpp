#include <test/catch.hpp>

#include <harness/results.hpp>

#include <core/error.hpp>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using namespace harness;
namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("harness_results_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a result file has the agreed fields") {
  Chapter chapter{.name = "01_one", .title = "One", .idea = "the idea"};
  chapter.variants = {{"plain", "as it is", nullptr}, {"other", "differently", nullptr}};
  Results results;
  results.device.name = "a GPU";
  results.device.compute_capability = 90;
  results.method.mode = "burst";
  results.method.rest_ms = 60;
  results.ceilings.ffma = 63600.0;
  results.chapters = {&chapter};
  Row row;
  row.chapter = "01_one";
  row.variant = kDefaultVariant;
  row.shape = {1000, 1000, 1000};
  row.mode = "burst";
  row.samples_ms = {1.0, 2.0, 4.0};
  set_gflops(row);
  Row skipped = row, counted = row;
  skipped.skipped = "because";
  counted.mode = "counters";
  counted.counters = {{"global_load_sectors", 12.0}};
  results.rows = {row, skipped, counted};

  const auto json = nlohmann::json::parse(to_json(results, "2026-01-31T12:00:00Z"));
  CHECK(json["schema"] == 1);
  CHECK(json["date"] == "2026-01-31T12:00:00Z");
  CHECK(json["commit"] == commit());
  CHECK(json["device"]["compute_capability"] == "9.0");
  CHECK(json["device"]["power_cap_w"].is_null());
  CHECK(json["method"]["rest_ms"] == 60);
  CHECK_FALSE(json["method"].contains("preheat_ms"));
  CHECK(json["ceilings"]["ffma"] == 63600.0);
  CHECK(json["ceilings"]["wgmma"].is_null());  // a device without
  CHECK(json["chapters"][0]["ceiling"] == "ffma");
  CHECK(json["chapters"][0]["variants"][1]["default"] == false);
  REQUIRE(json["rows"].size() == 3);
  const auto& first = json["rows"][0];
  CHECK(first["variant"] == "default");
  CHECK(first["m"] == 1000);
  CHECK(first["dtype"] == "bf16");
  CHECK(first["gflops_median"] == Approx(1000));  // 2e9 operations in 2 ms
  CHECK(first["gflops_lo"] == Approx(500));       // the slowest sample
  CHECK(first["samples_ms"].size() == 3);
  CHECK(first["cublas_gflops"].is_null());
  CHECK(json["rows"][1]["skipped"] == "because");
  CHECK_FALSE(json["rows"][1].contains("gflops_median"));
  CHECK(json["rows"][2]["counters"]["global_load_sectors"] == 12.0);
}

TEST_CASE("a result file appears whole, replaces an old one, and leaves nothing beside it") {
  const Folder folder;
  const fs::path path = folder.path / "run.json";
  const ResultFile file(path.string());
  CHECK(fs::is_empty(folder.path));  // trying it out leaves no trace
  file.write("first\n");
  ResultFile(path.string()).write("second\n");
  CHECK(contents(path) == "second\n");
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
  // A place that cannot be written to is refused before the work.
  CHECK_THROWS_AS(ResultFile(folder.path.string()), core::Refused);
  CHECK_THROWS_AS(ResultFile((folder.path / "missing" / "run.json").string()), core::Refused);
}
