// What every chapter linked into this program must do, variant by variant: come out right, or
// refuse exactly what it may refuse.

#include <test/every_variant.hpp>

#include <core/error.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace {

using gemm::Problem;
using test::Case;
using test::for_every_variant;
using test::Trial;

}  // namespace

void test::try_all(const std::vector<Case>& cases) {
  for (std::size_t index = 0; index < cases.size(); ++index) {
    INFO(label(cases[index]));
    Trial trial(cases[index]);
    for_every_variant(index, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
      CHECK(try_case(chapter, variant, cases[index], trial) == std::vector<std::string>{});
    });
  }
}

TEST_CASE("problems") {
  for (const auto& [about, cases] : test::all_cases()) {
    DYNAMIC_SECTION(about) {
      test::try_all(cases);
    }
  }
}

TEST_CASE("plans do not disturb each other") {
  for_every_variant(0, [](const harness::Chapter& chapter, const harness::Variant& variant) {
    // The first three agree in M, the last two in everything but the pointers.
    const Case last = test::packed(72, 40, 64, gemm::DataType::kFp16);
    const Case cases[] = {test::packed(72, 40, 24), test::packed(72, 136, 24), last, last};
    std::deque<Trial> trials;
    std::vector<harness::Plan> plans;
    for (const Case& c : cases) {
      trials.emplace_back(c, trials.size() + 1);
      plans.push_back(harness::prepare(chapter, variant, trials.back().problem()));
    }
    for (int round = 0; round < 2; ++round) {
      for (Trial& trial : trials) trial.reset_c();
      for (const std::size_t i : {2u, 0u, 3u, 1u}) plans[i].run(gpu::Stream{});
      gpu::synchronize();
      for (std::size_t i = 0; i < trials.size(); ++i) {
        INFO("round " << round << ", " << label(cases[i]));
        CHECK(trials[i].complaints() == std::vector<std::string>{});
      }
    }
  });
}

TEST_CASE("bad input is refused before anything is launched, in one line that names the chapter") {
  const Trial trial(test::packed(16, 24, 32));
  void (*const all[])(Problem&) = {[](Problem& p) { p.n = -1; }, [](Problem& p) { p.a = nullptr; },
                                   [](Problem& p) { p.ldb = 31; },
                                   [](Problem& p) { p.split_k = 0; }};
  for_every_variant(0, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
    for (const auto change : all) {
      Problem problem = trial.problem();
      change(problem);
      try {
        harness::prepare(chapter, variant, problem);
        FAIL_CHECK("accepted");
      } catch (const core::Refused& refused) {
        CHECK(test::judge_refusal(chapter, refused.what()) == std::vector<std::string>{});
      }
    }
  });
}
