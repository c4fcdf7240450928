#pragma once
// Places and groups of threads in the words of a report.

#include <cstdint>
#include <string>
#include <vector>

struct uint3;

namespace runtime {

struct Block;
struct Thread;

// "(0,0,0)"
std::string text(const uint3& index);

// "(block (0,0,0), thread 5)"
std::string place_of(const Thread& thread);

// "0-3, 7" out of ascending numbers, or out of the bits of a mask.
std::string ranges(const std::vector<unsigned>& numbers);
std::string lane_ranges(std::uint32_t mask);

// One line per group of threads that wait for the same thing at the same place, in the order of
// their first threads; one for those that have exited.
std::string deadlock_report(const std::vector<Block>& blocks);

}  // namespace runtime
