// The lab on either backend: every combination and every example is right.

#include "show.hpp"

#include <test/catch.hpp>

using namespace wgmma_lab;

TEST_CASE("every combination of source, major and swizzle is right") {
  const std::vector<Case> cases = all_combinations();
  REQUIRE(cases.size() == 288);
  for (const Case& c : cases) {
    const Verdict verdict = run(c);
    INFO(name(c.a) << "; " << name(c.b, 'N') << "; N = " << c.n);
    CHECK(verdict.why == "");
  }
}

TEST_CASE("every example is right") {
  for (const auto& examples :
       {worked_examples(), deep_examples(), tma_examples(), other_examples()}) {
    REQUIRE(examples.size() >= 4);
    for (const Example& example : examples) {
      INFO(example.title);
      CHECK(run(example.c).why == "");
    }
  }
}
