// The lab: every example of one wgmma is right, every mistake is noticed, README.md's table is true
// (LAB_PAGE is set by the build); and the GEMM with operands of every major.

#include "lab.hpp"

#include <harness/job.hpp>
#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

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

TEST_CASE("lab: the table of offsets in README.md is up to date") {
  std::ifstream file(LAB_PAGE);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  CHECK(page.find("<!-- lab:offsets -->\n\n" + offsets_table() + "\n<!--") != std::string::npos);
}

TEST_CASE("lab: several tiles of C, whole and ragged, with a ring that wraps, in all majors") {
  std::vector<test::Case> cases(3, test::packed(200, 264, 328));
  for (test::Case& c : cases) c.problem.lda = c.problem.ldb = 328;
  cases[0].problem.a_major = cases[2].problem.a_major = gemm::Major::kMn;
  cases[1].problem.b_major = cases[2].problem.b_major = gemm::Major::kMn;
  test::try_all(cases);
}
