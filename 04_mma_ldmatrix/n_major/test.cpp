// B with N contiguous beyond the contract: whole, ragged and odd problems.

#include <gpu/host.hpp>
#include <harness/chapter.hpp>

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

#include <cstddef>
#include <string>
#include <vector>

TEST_CASE("n_major: right where N is contiguous in B") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  const std::int64_t shapes[][3] = {{128, 256, 192}, {200, 264, 328}, {67, 131, 45},
                                    {1, 8, 16},      {40, 24, 0},     {136, 72, 1032}};
  for (const harness::Variant& variant : chapter.variants) {
    for (const auto& [m, n, k] : shapes) {
      for (const gemm::Values values : {gemm::Values::kIntegers, gemm::Values::kUniform}) {
        test::Case c{.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16),
                     .values = values};
        c.problem.b_major = gemm::Major::kMn;
        c.problem.ldb = n;
        INFO("variant " << variant.name << ", " << label(c));
        test::Trial trial(c);
        trial.reset_c();
        harness::prepare(chapter, variant, trial.problem()).run(gpu::Stream{});
        gpu::synchronize();
        CHECK(trial.complaints() == std::vector<std::string>{});
      }
    }
  }
}
