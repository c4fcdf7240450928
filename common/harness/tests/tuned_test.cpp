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

// A chapter whose variants count how often they are asked for a plan.
int by_size_asked = 0, wide_asked = 0, small_asked = 0;

template <int* kCount>
Plan count(const gemm::Problem&) {
  ++*kCount;
  return Nothing{};
}

Chapter chapter_that_counts() {
  by_size_asked = wide_asked = small_asked = 0;
  Chapter chapter{.name = "01_one", .title = "One", .idea = "the first"};
  chapter.variants = {{"by_size", "", count<&by_size_asked>}};
  chapter.tunings = {{"wide", "", count<&wide_asked>}, {"small", "", count<&small_asked>}};
  chapter.epilogues = {"identity", "alpha_beta"};
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
  const std::vector<Chapter> chapters = {chapter_that_counts()};
  Tuned tuned;
  tuned.set(choice("small"));
  tuned.set(choice("gone", {1, 2, 3}));  // a variant that the chapter no longer has

  Options options;
  Job job = plan_job(options, chapters);
  CHECK_FALSE(use_tuned(job, tuned, "Another GPU"));
  CHECK(use_tuned(job, tuned, "A GPU"));
  REQUIRE(job.kernels.size() == 1);
  CHECK(job.kernels[0].variant->name == "by_size");
  alignas(16) static char memory[16];
  const auto prepare_at = [&](const Job& asked, const Shape& shape) {
    gemm::Problem problem = problem_of(asked.options, shape);
    problem.a = problem.b = problem.c = memory;
    prepare(asked.kernels[0], problem);
  };
  prepare_at(job, {64, 32, 16});
  CHECK((small_asked == 1 && by_size_asked == 0 && wide_asked == 0));
  prepare_at(job, {1, 2, 3});
  prepare_at(job, {64, 32, 17});
  CHECK((small_asked == 1 && by_size_asked == 2 && wide_asked == 0));

  options.epilogue = "alpha_beta";
  Job other = plan_job(options, chapters);
  CHECK_FALSE(use_tuned(other, tuned, "A GPU"));
  options = Options();
  options.dtype = gemm::DataType::kFp16;
  other = plan_job(options, chapters);
  CHECK_FALSE(use_tuned(other, tuned, "A GPU"));
  prepare_at(other, {64, 32, 16});
  CHECK((small_asked == 1 && by_size_asked == 3 && wide_asked == 0));
}

TEST_CASE("tuned choices: the fastest tuning at each shape is added") {
  const Chapter chapter = chapter_that_counts();
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
