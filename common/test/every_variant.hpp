#pragma once

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/rules.hpp>

#include <cstddef>
#include <string>

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

}  // namespace test
