#include <test/catch.hpp>

#include <harness/tuned.hpp>

#include <gemm/inputs.hpp>

#include <core/error.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace harness;

struct Nothing {
  void run(gpu::Stream) const {}
};

// Chapters whose plans say, by a count, which variant was asked for them.
struct Asked {
  int by_size = 0, wide = 0, small = 0;
};

Chapter chapter_that_counts(Asked& asked) {
  const auto counting = [](int& count) {
    return [&count](const gemm::Problem&) -> Plan {
      ++count;
      return Nothing{};
    };
  };
  Chapter chapter{.name = "01_one", .title = "One", .idea = "the first"};
  chapter.variants = {{"by_size", "", counting(asked.by_size)}};
  chapter.tunings = {{"wide", "", counting(asked.wide)}, {"small", "", counting(asked.small)}};
  return chapter;
}

TunedChoice choice(const std::string& variant, Shape shape = {64, 32, 16}) {
  return {"A GPU", "01_one", "bf16", shape, variant, 100.0};
}

// A file of its own that goes when the test ends.
struct File {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("tuned_test_" + std::to_string(std::rand()) + ".json");
  explicit File(const std::string& text) { std::ofstream(path) << text; }
  ~File() { std::filesystem::remove(path); }
};

std::string refusal(const std::string& text) {
  const File file(text);
  try {
    Tuned::read(file.path);
  } catch (const core::Refused& reason) {
    return reason.what();
  }
  return "";
}

}  // namespace

TEST_CASE("tuned choices: a file that is not there holds none, and what is written is read back") {
  CHECK(Tuned::read("/nowhere/tuned.json").choices().empty());
  Tuned tuned;
  tuned.set(choice("wide"));
  tuned.set(choice("small", {1, 2, 3}));
  tuned.set(choice("small"));  // instead of the first
  const File file(tuned.text());
  const Tuned back = Tuned::read(file.path);
  REQUIRE(back.choices().size() == 2);
  REQUIRE(back.find("A GPU", "01_one", "bf16", {64, 32, 16}) != nullptr);
  CHECK(back.find("A GPU", "01_one", "bf16", {64, 32, 16})->variant == "small");
  CHECK(back.find("A GPU", "01_one", "fp16", {64, 32, 16}) == nullptr);
  CHECK(back.find("Another", "01_one", "bf16", {64, 32, 16}) == nullptr);
  CHECK(back.text() == tuned.text());
}

TEST_CASE("tuned choices: a file that holds something else is refused in one line") {
  for (const char* text :
       {"", "{", "[]", "{}", "{\"schema\": 1}", "{\"schema\": 2, \"choices\": []}",
        "{\"schema\": 1, \"choices\": [{\"device\": 7}]}"}) {
    CAPTURE(text);
    const std::string said = refusal(text);
    CHECK(!said.empty());
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("tuned choices: the default takes them for the problem they were made for, no other") {
  Asked asked;
  const std::vector<Chapter> chapters = {chapter_that_counts(asked)};
  Tuned tuned;
  tuned.set(choice("small"));
  tuned.set(choice("gone", {1, 2, 3}));  // a variant that the chapter no longer has

  Job job = plan_job({}, chapters);
  REQUIRE(job.entrants.size() == 1);
  CHECK_FALSE(use_tuned(job, tuned, "Another GPU"));
  CHECK(job.own_variants.empty());
  CHECK(use_tuned(job, tuned, "A GPU"));
  CHECK(job.entrants[0].variant->name == "by_size");
  const auto prepare = [&](gemm::Problem p) { job.entrants[0].variant->prepare(p); };

  gemm::Problem problem = gemm::packed_problem(64, 32, 16, gemm::DataType::kBf16);
  prepare(problem);
  CHECK((asked.small == 1 && asked.by_size == 0 && asked.wide == 0));
  gemm::Problem other = problem;
  other.epilogue.kind = gemm::EpilogueKind::kBiasRelu;
  prepare(other);
  other = problem, other.c_type = gemm::DataType::kFp32;
  prepare(other);
  other = problem, other.type = other.c_type = gemm::DataType::kFp16;
  prepare(other);
  prepare(gemm::packed_problem(1, 2, 3, gemm::DataType::kBf16));
  CHECK((asked.small == 1 && asked.by_size == 4 && asked.wide == 0));
}

TEST_CASE("tuned choices: the fastest tuning at each shape is added") {
  Asked asked;
  const Chapter chapter = chapter_that_counts(asked);
  Results results;
  results.device.name = "A GPU";
  results.chapters = {&chapter};
  const auto measured = [&](const std::string& variant, std::int64_t m, double gflops) {
    Row row;
    row.chapter = chapter.name, row.variant = variant, row.shape = {m, 32, 16};
    row.gflops_median = gflops;
    results.rows.push_back(row);
  };
  measured(kDefaultVariant, 64, 900);  // not a tuning
  measured("wide", 64, 100);
  measured("small", 64, 200);
  measured("wide", 128, 300);
  measured("small", 128, 200);
  results.rows.push_back(results.rows.back());
  results.rows.back().skipped = "too slow";
  results.rows.back().gflops_median = 1000;
  Tuned tuned;
  CHECK(add_fastest(tuned, results) == 2);
  REQUIRE(tuned.choices().size() == 2);
  CHECK(tuned.find("A GPU", "01_one", "bf16", {64, 32, 16})->variant == "small");
  CHECK(tuned.find("A GPU", "01_one", "bf16", {128, 32, 16})->variant == "wide");
}
