// What every chapter linked into this program must do, variant by variant: come out right, or
// refuse exactly what it may refuse.

#include <test/cases.hpp>
#include <test/every_variant.hpp>
#include <test/trial.hpp>

#include <core/error.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

using gemm::Problem;
using test::Case;
using test::for_every_variant;
using test::Trial;

// What prepare() says to a problem that nobody may accept: nothing when it refuses as it should.
std::vector<std::string> refuse(const harness::Chapter& chapter, const harness::Variant& variant,
                                const Problem& problem) {
  try {
    harness::prepare(chapter, variant, problem);
  } catch (const core::Refused& refused) {
    return test::judge_refusal(chapter, refused.what());
  }
  return {"accepted"};
}

}  // namespace

void test::try_all(const std::vector<Case>& cases) {
  for (std::size_t index = 0; index < cases.size(); ++index) {
    INFO(label(cases[index]));
    test::SharedCase shared(cases[index]);
    for_every_variant(index, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
      CHECK(shared.try_variant(chapter, variant) == std::vector<std::string>{});
    });
  }
}

TEST_CASE("chapters say who they are") {
  for (const harness::Chapter& chapter : harness::chapters()) {
    INFO(chapter.name);
    CHECK_FALSE((chapter.name.empty() || chapter.title.empty() || chapter.idea.empty()));
    std::set<std::string> names;
    for (const harness::Variant& variant : chapter.variants) {
      CHECK(!variant.summary.empty());
      CHECK(variant.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
            std::string::npos);
      CHECK(names.insert(variant.name).second);
    }
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
    std::vector<Case> cases(4);
    cases[0].problem = gemm::packed_problem(72, 40, 24, gemm::DataType::kBf16);
    cases[1].problem = gemm::packed_problem(72, 136, 24, gemm::DataType::kBf16);
    cases[2].problem = cases[3].problem = gemm::packed_problem(72, 40, 64, gemm::DataType::kFp16);
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

TEST_CASE("bad input is refused before anything is launched") {
  Case c;
  c.problem = gemm::packed_problem(16, 24, 32, gemm::DataType::kBf16);
  const Trial trial(c);
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const auto odd = [](auto& pointer) {  // not aligned to its elements
    pointer = const_cast<char*>(static_cast<const char*>(pointer)) + 1;
  };
  const std::vector<std::pair<const char*, std::function<void(Problem&)>>> all = {
      {"m = -1", [](Problem& p) { p.m = -1; }},
      {"n = -1", [](Problem& p) { p.n = -1; }},
      {"k = -1", [](Problem& p) { p.k = -1; }},
      {"m beyond 32 bits", [](Problem& p) { p.m = std::int64_t{1} << 31; }},
      {"a null", [](Problem& p) { p.a = nullptr; }},
      {"b null", [](Problem& p) { p.b = nullptr; }},
      {"c null", [](Problem& p) { p.c = nullptr; }},
      {"a odd", [&](Problem& p) { odd(p.a); }},
      {"b odd", [&](Problem& p) { odd(p.b); }},
      {"c odd", [&](Problem& p) { odd(p.c); }},
      {"lda < K", [](Problem& p) { p.lda = 31; }},
      {"ldb < K", [](Problem& p) { p.ldb = 0; }},
      {"ldc < N", [](Problem& p) { p.ldc = 23; }},
      {"lda negative", [](Problem& p) { p.lda = -32; }},
      {"lda overflows", [](Problem& p) { p.lda = kHuge; }},
      {"ldb overflows", [](Problem& p) { p.ldb = kHuge; }},
      {"ldc overflows", [](Problem& p) { p.ldc = kHuge; }},
      {"fp32 inputs", [](Problem& p) { p.type = gemm::DataType::kFp32; }},
      {"split 0", [](Problem& p) { p.split_k = 0; }},
      {"bias null", [](Problem& p) { p.epilogue.kind = gemm::EpilogueKind::kBiasRelu; }},
  };
  for_every_variant(0, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
    for (const auto& [what, change] : all) {
      Problem problem = trial.problem();
      change(problem);
      INFO(what);
      CHECK(refuse(chapter, variant, problem) == std::vector<std::string>{});
    }
  });
  gpu::synchronize();
}
