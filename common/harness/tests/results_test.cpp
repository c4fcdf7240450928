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
using Json = nlohmann::json;
namespace fs = std::filesystem;

struct Folder {
  Folder() : path(fs::temp_directory_path() / ("harness_results_" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Row timed_row() {
  Row row;
  row.chapter = "01_one";
  row.variant = kDefaultVariant;
  row.shape = {1000, 1000, 1000};
  row.mode = "burst";
  row.samples_ms = {1.0, 2.0, 4.0};
  set_gflops(row);
  return row;
}

}  // namespace

TEST_CASE("a result file has the agreed fields") {
  Chapter chapter{.name = "01_one", .title = "One", .idea = "the idea"};
  chapter.variants = {{"plain", "as it is", nullptr}, {"other", "differently", nullptr}};
  Results results;
  results.device = {.name = "a GPU",
                    .sms = 132,
                    .compute_capability = 90,
                    .l2_bytes = 50 << 20,
                    .memory_bytes = std::int64_t{140} << 30,
                    .power_cap_w = std::nullopt};
  results.software.compiler = "g++";
  results.method.mode = "burst";
  results.method.rounds = 15;
  results.method.rest_ms = 60;
  results.ceilings.ffma = 63600.0;
  results.ceilings.mma_sync = 620000.0;
  results.ceilings.copy_gbs = 4270.0;
  results.chapters = {&chapter};
  Row skipped = timed_row();
  skipped.variant = "other";
  skipped.skipped = "because";
  Row cublas = timed_row();
  cublas.chapter = kCublas;
  cublas.variant = kCublasBest;
  results.rows = {timed_row(), skipped, cublas};

  const Json json = Json::parse(to_json(results, "2026-01-31T12:00:00Z"));
  CHECK(json["schema"] == 1);
  CHECK(json["date"] == "2026-01-31T12:00:00Z");
  CHECK(json["commit"].get<std::string>() == commit());
  CHECK(json["device"]["compute_capability"] == "9.0");
  CHECK(json["device"]["power_cap_w"].is_null());
  CHECK(json["software"]["driver"].is_null());
  CHECK(json["method"]["mode"] == "burst");
  CHECK(json["method"]["rest_ms"] == 60);
  CHECK_FALSE(json["method"].contains("preheat_ms"));
  CHECK(json["ceilings"]["ffma"] == 63600.0);
  CHECK(json["ceilings"]["mma_sync"] == 620000.0);
  CHECK(json["ceilings"]["wgmma"].is_null());  // a device without
  CHECK(json["ceilings"]["copy_gbs"] == 4270.0);
  CHECK(json["chapters"][0]["ceiling"] == "ffma");
  CHECK(json["chapters"][0]["variants"][0]["default"] == true);
  CHECK(json["chapters"][0]["variants"][1]["default"] == false);

  REQUIRE(json["rows"].size() == 3);
  const Json& row = json["rows"][0];
  CHECK(row["variant"] == "default");
  CHECK(row["m"] == 1000);
  CHECK(row["dtype"] == "bf16");
  CHECK(row["samples_ms"].size() == 3);
  CHECK(row["graph"] == false);
  CHECK(row["buffers"] == 1);
  CHECK(row["cublas_gflops"].is_null());
  CHECK(json["rows"][1]["skipped"] == "because");
  CHECK_FALSE(json["rows"][1].contains("gflops_median"));
  CHECK(json["rows"][2]["variant"] == "lt_best");
}

TEST_CASE("a result file appears whole, replaces an old one, and leaves nothing beside it") {
  const Folder folder;
  const fs::path path = folder.path / "run.json";
  const ResultFile file(path.string());
  CHECK(fs::is_empty(folder.path));  // trying it out leaves no trace
  file.write("first\n");
  CHECK(contents(path) == "first\n");
  ResultFile(path.string()).write("second\n");
  CHECK(contents(path) == "second\n");
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("a place that cannot be written to is refused before the work") {
  const Folder folder;
  CHECK_THROWS_AS(ResultFile(folder.path.string()), core::Refused);
  CHECK_THROWS_AS(ResultFile((folder.path / "missing" / "run.json").string()), core::Refused);
  CHECK_THROWS_AS(ResultFile("/proc/run.json"), core::Refused);
  CHECK_NOTHROW(ResultFile("/dev/null").write("nowhere\n"));
  CHECK(fs::is_character_file("/dev/null"));
}
