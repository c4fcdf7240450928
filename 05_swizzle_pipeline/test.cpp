// Chapter 05 beyond the contract: every variant, where all of its stages have been used several
// times.

#include <gpu/host.hpp>
#include <harness/chapter.hpp>

#include <gemm/thread_map.hpp>
#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/rules.hpp>
#include <test/thread_map.hpp>
#include <test/trial.hpp>

#include <cstddef>
#include <string>
#include <vector>

TEST_CASE("05: the thread map covers every tile exactly once") {
  test::check_thread_map<gemm::ThreadMap>();
}

TEST_CASE("05: every variant is right, and gives the same bits in every run") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  std::size_t turn = 0;
  for (const harness::Variant& variant : chapter.variants) {
    for (const std::string& policy : test::policies_in_turn(chapter, turn++)) {
      test::set_policy(policy);
      INFO("variant " << variant.name << ", " << policy);
      test::Case c{.problem = gemm::packed_problem(136, 264, 712, gemm::DataType::kBf16),
                   .values = gemm::Values::kUniform};
      test::Trial trial(c);
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
    }
  }
}
