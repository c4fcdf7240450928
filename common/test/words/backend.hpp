#pragma once
// What the cases must know of the backend that they run on. One implementation each:
// backend_cpu.cpp, backend_cuda.cpp.

#include <optional>
#include <string>
#include <vector>

namespace words {

// The ways of completing asynchronous work under which every case must come out the same. The GPU
// has one.
std::vector<std::string> policies();

// Takes effect with the next launch.
void set_policy(const std::string& policy);

// Why the words cannot run on this machine (its compute capability), if they cannot.
std::optional<std::string> why_not();

}  // namespace words
