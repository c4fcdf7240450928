#pragma once

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace test {

// Calls check(chapter, variant) for every variant of every chapter that this machine can run, under
// the policies whose turn it is at case number `index`.
template <class Check>
void for_every_variant(std::size_t index, Check check) {
  REQUIRE(!harness::chapters().empty());
  for (const harness::Chapter& chapter : harness::chapters()) {
    REQUIRE(!chapter.variants.empty());
    if (const auto reason = why_not(chapter)) {
      if (index == 0) WARN(*reason);
      continue;
    }
    for (const std::string& policy : policies_in_turn(chapter, index)) {
      set_policy(policy);
      for (const harness::Variant& variant : chapter.variants) {
        INFO(chapter.name << ", variant " << variant.name << ", " << policy);
        check(chapter, variant);
      }
    }
  }
}

// Computes all tiles of C by one block and by three, so that each has several: what one tile leaves
// behind, the next finds. limit(plan, n): gives the plan n blocks, or clusters. Under the policies
// whose turn it is.
template <class Plan, class Limit>
void try_by_few(Trial& trial, Plan plan, std::size_t turn, Limit limit) {
  for (const std::string& policy : policies_in_turn(harness::chapters().front(), turn)) {
    set_policy(policy);
    for (const unsigned blocks : {1u, 3u}) {
      INFO(policy << ", " << blocks << " blocks or clusters");
      trial.reset_c();
      limit(plan, blocks);
      plan.run(gpu::Stream{});
      gpu::synchronize();
      CHECK(trial.complaints() == std::vector<std::string>{});
    }
  }
}

}  // namespace test
