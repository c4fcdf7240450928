// The lab on either backend: every example of one wgmma is right; and the GEMM with operands of
// every major.

#include "lab.hpp"

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

using namespace wgmma_lab;

TEST_CASE("lab: every example is right, whenever copies complete") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (const std::string& policy : test::policies(chapter)) {
    test::set_policy(policy);
    for (const auto& examples :
         {worked_examples(), every_form(false), every_form(true), other_examples()}) {
      for (const Example& example : examples) {
        INFO(example.title << ", " << policy);
        CHECK(run(example.c) == "");
      }
    }
  }
}

TEST_CASE("lab: several tiles of C, whole and ragged, with a ring that wraps, in all majors") {
  std::vector<test::Case> cases(3, test::packed(200, 264, 328));
  for (test::Case& c : cases) c.problem.lda = c.problem.ldb = 328;
  cases[0].problem.a_major = cases[2].problem.a_major = gemm::Major::kMn;
  cases[1].problem.b_major = cases[2].problem.b_major = gemm::Major::kMn;
  test::try_all(cases);
}
