// The kernels without a bug: nothing is named and nothing is wrong, whatever completes when.

#include "runners.hpp"

#include <runtime/settings.hpp>
#include <test/catch.hpp>

TEST_CASE("without a bug every policy and twenty seeds give the right results") {
  std::vector<std::string> policies = {"late", "early", "mix"};
  for (int seed = 1; seed <= 20; ++seed) policies.push_back("random:" + std::to_string(seed));
  for (const gallery::CorrectRun& run : gallery::correct_runs()) {
    for (const std::string& policy : policies) {
      INFO(run.name << " under " << policy);
      runtime::set_policy(policy);
      std::size_t wrong = 1;
      CHECK_NOTHROW(wrong = run.run(run.sizes));
      CHECK(wrong == 0);
    }
  }
  runtime::set_policy("late");
}
