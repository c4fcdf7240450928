#pragma once
// The planted bugs that are linked into a program: all those of one folder.

#include <harness/chapter.hpp>

#include <string>

namespace test {

// What a copy's bugs.cu declares, under the bug's name; several may share one. Returns true.
bool add_bug(const std::string& name, const harness::Chapter& chapter);

}  // namespace test
