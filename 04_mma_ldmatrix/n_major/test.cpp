// B with N contiguous beyond the contract: whole, ragged and odd problems.

#include <test/catch.hpp>
#include <test/trial.hpp>

TEST_CASE("n_major: right where N is contiguous in B") {
  std::vector<test::Case> cases = {test::packed(128, 256, 192), test::packed(67, 131, 45),
                                   test::packed(40, 24, 0), test::packed(136, 72, 1032)};
  for (test::Case& c : cases) {
    c.problem.b_major = gemm::Major::kMn;
    c.problem.ldb = c.problem.n;
  }
  test::try_all(cases);
}
