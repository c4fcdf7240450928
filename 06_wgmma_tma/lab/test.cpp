// The lab: every example of one wgmma is right, every mistake is noticed, README.md's table is true
// (LAB_FOLDER is set by the build); and the GEMM with operands of every major.

#include "lab.hpp"

#include <harness/job.hpp>
#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace wgmma_lab;

TEST_CASE("lab: examples are right, and mistakes are noticed, whenever copies complete") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (const std::string& policy : test::policies(chapter)) {
    test::set_policy(policy);
    for (const Example& example : examples()) {
      INFO(example.title << ", " << policy);
      CHECK(run(example.c) == "");
    }
    if (harness::kOnGpu) continue;
    for (const Mistake& mistake : mistakes()) {
      INFO(mistake.name << ", " << policy);
      CHECK(consequence(mistake) != "");
    }
  }
}

TEST_CASE("lab: the tables in README.md are up to date") {
  const auto contents = [](const char* path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string page = contents(LAB_FOLDER "/README.md");
  const std::string recorded = contents(LAB_FOLDER "/../../plots/results/h200_accumulators.txt");
  CHECK(page.find("<!-- lab:offsets -->\n\n" + offsets_table() + "\n<!--") != std::string::npos);
  const std::string accumulators = "<!-- lab:accumulators -->\n\n" + recorded;
  CHECK(page.find(recorded.empty() ? "| not measured yet |" : accumulators) != std::string::npos);
}

TEST_CASE("lab: sums keep a number of bits, on the CPU backend those of fp32") {
  if (test::why_not(harness::chapters().front())) return;
  const std::string table = accumulators_table();
  CHECK(std::ranges::count(table, '\n') == 7);
  CHECK(table.find("neither") == std::string::npos);
  const bool as_fp32 = table.find("| e4m3 | 23 | rounded | 23 | rounded |") != std::string::npos;
  CHECK((harness::kOnGpu || as_fp32));
}

TEST_CASE("lab: several tiles of C, whole and ragged, with a ring that wraps, in all majors") {
  std::vector<test::Case> cases(3, test::packed(200, 264, 328));
  for (test::Case& c : cases) c.problem.lda = c.problem.ldb = 328;
  cases[0].problem.a_major = cases[2].problem.a_major = gemm::Major::kMn;
  cases[1].problem.b_major = cases[2].problem.b_major = gemm::Major::kMn;
  test::try_all(cases);
}
