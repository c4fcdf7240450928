// The stores' aside beyond the contract: every order of stores writes every element, and rings of
// cluster scope go around.

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace {

test::Case packed(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16),
          .values = gemm::Values::kIntegers};
}

}  // namespace

TEST_CASE("stores: rings go around, with rows of B both ways, on whole and on ragged tiles") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (const test::Case& c : {packed(256, 512, 64), packed(72, 96, 1152), packed(264, 264, 328)}) {
    test::SharedCase shared(c);
    for (const std::string& policy : test::policies(chapter)) {
      test::set_policy(policy);
      for (const harness::Variant& variant : chapter.variants) {
        INFO("variant " << variant.name << ", " << policy << ", " << label(c));
        CHECK(shared.try_variant(chapter, variant) == std::vector<std::string>{});
      }
    }
  }
}
