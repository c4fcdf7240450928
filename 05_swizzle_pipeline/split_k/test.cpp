// Split problems beyond the contract: exact, and the same bits from run to run.

#include <test/catch.hpp>
#include <test/trial.hpp>

TEST_CASE("split_k: right, and the same bits in every run") {
  const auto split = [](test::Case c, int splits, gemm::Values values) {
    c.problem.split_k = splits;
    c.values = values;
    c.repeat = true;
    return c;
  };
  std::vector<test::Case> cases;
  for (const gemm::Values values : {gemm::Values::kIntegers, gemm::Values::kUniform}) {
    cases.push_back(split(test::packed(72, 136, 328), 5, values));
    cases.push_back(split(test::packed(65, 67, 333), 4, values));     // ragged everywhere, odd K
    cases.push_back(split(test::packed(72, 40, 200), 1000, values));  // more splits than k-tiles
    cases.push_back(split(test::packed(40, 24, 0), 3, values));       // nothing to split
  }
  cases.push_back(split(test::packed(64, 64, 4096), 20, gemm::Values::kIntegers));
  test::try_all(cases);
}
