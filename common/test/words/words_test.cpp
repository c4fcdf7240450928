// Every word of gpu/ on this backend, against what the instruction's definition says.

#include "backend.hpp"
#include "case.hpp"
#include "record.hpp"

#include <test/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <set>

namespace {

// Runs each case under each policy and records it once: what came out under the first policy that
// it fails under, or under all.
void run_cases(const words::Cases& cases) {
  REQUIRE(!cases.empty());
  if (const auto reason = words::why_not()) {
    WARN("not run: " << *reason);
    return;
  }
  const char* only = std::getenv("WORDS_ONLY");  // part of the names of the cases to run
  for (const words::Case& one : cases) {
    if (only != nullptr && one.name.find(only) == std::string::npos) continue;
    std::vector<std::uint32_t> got;
    std::string fault;
    for (const std::string& policy : words::policies()) {
      words::set_policy(policy);
      try {
        const words::Outcome outcome = one.run();
        got = outcome.got;
        fault = words::fault_of(outcome);
      } catch (const std::exception& error) {
        got.clear();
        fault = error.what();
      }
      if (!fault.empty()) {
        fault = "under " + policy + ": " + fault;
        break;
      }
    }
    words::record(one.name, got, fault.empty());
    INFO(one.name);
    CHECK(fault == "");
  }
  words::set_policy(words::policies().front());
}

}  // namespace

TEST_CASE("cp.async") {
  run_cases(words::cp_async_cases());
}
TEST_CASE("ldmatrix and stmatrix") {
  run_cases(words::ldmatrix_cases());
}
TEST_CASE("mma.sync") {
  run_cases(words::mma_cases());
}
TEST_CASE("threads of a block") {
  run_cases(words::sync_cases());
}
TEST_CASE("global memory") {
  run_cases(words::global_cases());
}
TEST_CASE("grids and clocks") {
  run_cases(words::grid_cases());
}
TEST_CASE("mbarriers") {
  run_cases(words::mbarrier_cases());
}
TEST_CASE("TMA loads") {
  run_cases(words::tma_load_cases());
}
TEST_CASE("TMA stores") {
  run_cases(words::tma_store_cases());
}
TEST_CASE("clusters") {
  run_cases(words::cluster_cases());
}
TEST_CASE("TMA multicast") {
  run_cases(words::multicast_cases());
}
TEST_CASE("wgmma: shapes") {
  run_cases(words::wgmma_shape_cases());
}
TEST_CASE("wgmma: forms, N = 32") {
  run_cases(words::wgmma_form_cases());
}
TEST_CASE("wgmma: forms, N = 256") {
  run_cases(words::wgmma_wide_form_cases());
}
TEST_CASE("wgmma: fp16 accumulators") {
  run_cases(words::wgmma_half_cases());
}
TEST_CASE("wgmma: groups") {
  run_cases(words::wgmma_group_cases());
}
TEST_CASE("wgmma on tiles by TMA") {
  run_cases(words::wgmma_tma_cases());
}
TEST_CASE("TMA loads of rows shorter than the swizzle's span") {
  run_cases(words::tma_short_row_cases());
}

TEST_CASE("cases have names of their own, in three parts without blanks") {
  std::set<std::string> names;
  for (const words::Cases& cases :
       {words::cp_async_cases(), words::ldmatrix_cases(), words::mma_cases(), words::sync_cases(),
        words::global_cases(), words::grid_cases(), words::mbarrier_cases(),
        words::tma_load_cases(), words::tma_store_cases(), words::tma_short_row_cases(),
        words::cluster_cases(), words::multicast_cases(), words::wgmma_shape_cases(),
        words::wgmma_form_cases(), words::wgmma_wide_form_cases(), words::wgmma_half_cases(),
        words::wgmma_group_cases(), words::wgmma_tma_cases()}) {
    for (const words::Case& one : cases) {
      INFO(one.name);
      CHECK(names.insert(one.name).second);
      CHECK(one.name.find(' ') == std::string::npos);
      CHECK(std::count(one.name.begin(), one.name.end(), '/') == 2);
    }
  }
}
