// The lab on the CPU backend: mistakes are named, and README.md's table is true (LAB_PAGE is set by
// the build).

#include "lab.hpp"

#include <runtime/settings.hpp>
#include <test/catch.hpp>

#include <fstream>
#include <iterator>

using namespace wgmma_lab;

TEST_CASE("lab: mistakes are named, whenever copies complete") {
  for (const Mistake& mistake : mistakes()) {
    for (const char* policy : {"late", "early", "mix", "random:1", "random:2"}) {
      runtime::set_policy(policy);
      INFO(mistake.name << " under " << policy);
      CHECK(consequence(mistake) != "");
    }
  }
  runtime::set_policy("late");
}

TEST_CASE("lab: the table of offsets in README.md is up to date") {
  std::ifstream file(LAB_PAGE);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::string text = "<!-- lab:offsets -->\n\n" + offsets_table() + "\n<!-- /lab:offsets -->";
  CHECK(page.find(text) != std::string::npos);
}
