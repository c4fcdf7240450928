// Every planted bug is caught, most are named, and always in the same words; without one nothing
// is.

#include "exhibits.hpp"
#include "runners.hpp"

#include <runtime/settings.hpp>
#include <test/catch.hpp>

#include <fstream>
#include <sstream>

using namespace gallery;

static const std::vector<Result>& results() {
  static const std::vector<Result> all = run_all();
  return all;
}

TEST_CASE("a second run ends in the same way, with the same words") {
  for (const Result& result : results()) {
    INFO(result.exhibit->name);
    const Result again = run_all(*result.exhibit);
    for (std::size_t i = 0; i < kPolicies.size(); ++i) {
      INFO(kPolicies[i]);
      CHECK(again.outcomes[i].ending == result.outcomes[i].ending);
      CHECK(again.outcomes[i].wrong == result.outcomes[i].wrong);
      CHECK(again.outcomes[i].message == result.outcomes[i].message);
    }
  }
}

// Every bug with its policies and with what is said of it. `make gallery` writes it.
TEST_CASE("the table in common/cpu/README.md is up to date, and no bug goes unnoticed") {
  std::ifstream file(GALLERY_README);
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::string open = "<!-- table:gallery -->\n\n", close = "\n<!-- /table -->";
  const std::size_t begin = page.find(open);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = page.find(close, begin);
  REQUIRE(end != std::string::npos);
  CHECK(page.substr(begin + open.size(), end - begin - open.size()) == markdown_table(results()));
  CHECK(page.find("| not noticed |\n") == std::string::npos);
}

TEST_CASE("without a bug every policy and twenty seeds give the right results") {
  std::vector<std::string> policies = {"late", "early", "mix"};
  for (int seed = 1; seed <= 20; ++seed) policies.push_back("random:" + std::to_string(seed));
  for (const CorrectRun& run : correct_runs()) {
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
