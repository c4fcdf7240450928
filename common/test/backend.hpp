#pragma once
// What tests must know of the backend that they run on. One implementation each: backend_cpu.cpp,
// backend_cuda.cpp.

#include <harness/chapter.hpp>

#include <optional>
#include <string>
#include <vector>

namespace test {

// The ways of completing asynchronous work ("late", "mix", "random:1"). The GPU has one.
std::vector<std::string> all_policies();

// Takes effect with the next launch.
void set_policy(const std::string& policy);

// 10 * major + minor; nothing on the CPU backend, which runs everything.
std::optional<int> compute_capability();

// The same on both: in trial.cpp.

// Of all_policies(), those that a chapter is tried under. Chapters held against FFMA have no
// asynchronous work: these need one.
std::vector<std::string> policies(const harness::Chapter& chapter);

// Of policies(chapter), those that case number `index` of a list is tried under: the first, and one
// of the others in turn. Four cases meet them all.
std::vector<std::string> policies_in_turn(const harness::Chapter& chapter, std::size_t index);

// Why the chapter cannot run on this machine (its compute capability), if it cannot.
std::optional<std::string> why_not(const harness::Chapter& chapter);

}  // namespace test
