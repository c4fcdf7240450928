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

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

using namespace split_k;

TEST_CASE("split_k: no more splits than there are k-tiles, and than a grid can hold") {
  using C = split_k::Config<SmallTiles, 4, 8>;
  CHECK(clamp_splits<C>(1000, 200) == 4);
  CHECK(clamp_splits<C>(3, 0) == 1);
  CHECK(clamp_splits<C>(1 << 20, static_cast<int>(gemm::kLargestSize)) == 65535);
  // No overflow on the way to the last split of the largest K.
  constexpr int kTiles = gemm::kLargestSize / 32;
  CHECK(k_range(65534, 65535, kTiles).end == kTiles);
}
#endif
