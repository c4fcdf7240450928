#pragma once
// What the contract tests must know of the backend that they run on. One implementation each:
// backend_cpu.cpp, backend_cuda.cpp.

#include <harness/chapter.hpp>

#include <optional>
#include <string>
#include <vector>

namespace test {

// The ways of completing asynchronous work under which a chapter is tried ("late", "mix",
// "random:1"). Chapters held against FFMA have no asynchronous work: these and the GPU have one each.
std::vector<std::string> policies(const harness::Chapter& chapter);

// Takes effect with the next launch.
void set_policy(const std::string& policy);

// What running the plan does under the policy set: equal where the same kernels are launched with the
// same parameters. Nothing where that cannot be seen (on the GPU), and for a plan without launches.
std::optional<std::string> what_runs(const harness::Plan& plan);

// Why the chapter cannot run on this machine (its compute capability), if it cannot.
std::optional<std::string> why_not(const harness::Chapter& chapter);

}  // namespace test
