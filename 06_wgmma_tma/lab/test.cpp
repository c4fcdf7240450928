// The lab on either backend: every example of one wgmma is right; and the GEMM with operands of
// every major.

#include "show.hpp"

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/rules.hpp>
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
        CHECK(run(example.c).why == "");
      }
    }
  }
}

TEST_CASE("lab: several tiles of C, whole and ragged, with a ring that wraps, in all majors") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  std::size_t turn = 0;
  for (const auto& [a, b] : {std::pair{gemm::Major::kK, gemm::Major::kMn},
                             {gemm::Major::kMn, gemm::Major::kK},
                             {gemm::Major::kMn, gemm::Major::kMn}}) {
    test::Case c{.problem = gemm::packed_problem(200, 264, 328, gemm::DataType::kBf16)};
    c.problem.a_major = a;
    c.problem.b_major = b;
    c.problem.lda = c.problem.ldb = 328;
    test::SharedCase shared(c);
    for (const std::string& policy : test::policies_in_turn(chapter, turn++)) {
      test::set_policy(policy);
      for (const harness::Variant& variant : chapter.variants) {
        INFO("variant " << variant.name << ", " << policy << ", " << label(c));
        CHECK(shared.try_variant(chapter, variant) == std::vector<std::string>{});
      }
    }
  }
}
