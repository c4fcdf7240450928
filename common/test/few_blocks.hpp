#pragma once
// Persistent kernels by fewer blocks than a plan would take.

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/rules.hpp>
#include <test/trial.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace test {

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
