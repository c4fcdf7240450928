// Split problems beyond the contract: exact, the same bits from run to run, and in one launch and
// in two.

#include <gpu/host.hpp>
#include <harness/chapter.hpp>

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/rules.hpp>
#include <test/trial.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using test::Case;
using test::Trial;

Case problem(std::int64_t m, std::int64_t n, std::int64_t k, gemm::Values values, int splits) {
  Case c{.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16), .values = values};
  c.problem.split_k = splits;
  return c;
}

// Runs the variant twice, expects a right C and the same bits, and returns them.
std::vector<std::byte> right_bits(const harness::Chapter& chapter, const harness::Variant& variant,
                                  const Case& c) {
  INFO("variant " << variant.name << ", " << label(c));
  Trial trial(c);
  const harness::Plan plan = harness::prepare(chapter, variant, trial.problem());
  std::vector<std::byte> first;
  for (int run = 0; run < 2; ++run) {
    trial.reset_c();
    plan.run(gpu::Stream{});
    gpu::synchronize();
    CHECK(trial.complaints() == std::vector<std::string>{});
    if (run == 0) first = trial.fetch_c();
  }
  CHECK(trial.fetch_c() == first);
  return first;
}

}  // namespace

TEST_CASE("split_k: right, and the same bits in one launch and in two") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  std::vector<Case> cases;
  for (const int splits : {1, 2, 3, 5, 6}) {
    cases.push_back(problem(72, 136, 328, gemm::Values::kIntegers, splits));
  }
  for (const gemm::Values values : {gemm::Values::kIntegers, gemm::Values::kUniform}) {
    cases.push_back(problem(65, 67, 333, values, 4));     // ragged everywhere, odd K
    cases.push_back(problem(72, 40, 200, values, 1000));  // more splits than k-tiles
    cases.push_back(problem(40, 24, 0, values, 3));       // nothing to split
  }
  cases.push_back(problem(64, 64, 4096, gemm::Values::kIntegers, 20));
  for (std::size_t turn = 0; turn < cases.size(); ++turn) {
    for (const std::string& policy : test::policies_in_turn(chapter, turn)) {
      test::set_policy(policy);
      INFO(policy);
      const auto bits = right_bits(chapter, chapter.variants[0], cases[turn]);
      CHECK(right_bits(chapter, chapter.variants[1], cases[turn]) == bits);
    }
  }
}
