#pragma once
// A chapter is three programs: NN_name (CUDA), NN_name_cpu, and NN_name_traced (the CPU backend
// with every load and store seen). They never share a link; one becomes another by replacing
// itself.

#include <string>
#include <vector>

namespace harness {

enum class Sibling { kCuda, kCpu, kTraced };

// The path of another of the three programs, in the same folder as this one. Throws core::Refused
// with one line ending in `why` when there is no such program.
std::string sibling_path(Sibling sibling, const std::string& why);

// The program NAME, built for what this one is built for, in the same folder. Throws core::Refused
// like sibling_path().
std::string companion_path(const std::string& name, const std::string& why);

// Replaces this process. Returns only by throwing core::Refused.
[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace harness
