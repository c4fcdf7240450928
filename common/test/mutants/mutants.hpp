#pragma once
// The planted bugs that are linked into a program: all those of one chapter.

#include <harness/chapter.hpp>

#include <string>
#include <vector>

namespace test {

// What a copy of a chapter says of itself, under the bug's name. Several copies may share one.
void add_mutant(const std::string& name, harness::Chapter chapter);

std::vector<harness::Chapter> mutants(const std::string& name);

}  // namespace test
