#pragma once
// What errors and reports are made of: places, groups of threads, quoted source lines.

#include <runtime/site.hpp>

#include <cstddef>
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
std::string running_place();  // of the running thread; "(outside a kernel)"

// The source line at a place: trimmed, joined with the rest of a call that goes on in the next, cut
// to so many columns; empty when the file cannot be read.
std::string source_line(Site where, std::size_t columns);

// Texts, numbers, places and indices, one after the other.
template <class... Parts>
std::string join(const Parts&... parts) {
  std::string out;
  const auto append = [&out](const auto& part) {
    if constexpr (requires { std::to_string(part); }) {
      out += std::to_string(part);
    } else if constexpr (requires { text(part); }) {
      out += text(part);
    } else {
      out += part;
    }
  };
  (append(parts), ...);
  return out;
}

// Throws core::DeviceError: "chapter/kernel.cuh:57: what (block (0,0,0), thread 5)" with the quoted
// line below. `who` is the thread in brackets, or what stands there instead.
[[noreturn]] void fail_as(const std::string& who, Site where, const std::string& what);

// The thread is the running one; in the second form any, or null for none.
template <class... Parts>
[[noreturn]] void fail(Site where, const Parts&... what) {
  fail_as(running_place(), where, join(what...));
}
template <class... Parts>
[[noreturn]] void fail_in(const Thread* thread, Site where, const Parts&... what) {
  fail_as(thread != nullptr ? place_of(*thread) : "", where, join(what...));
}

// "0-3, 7" out of the bits of a mask.
std::string lane_ranges(std::uint32_t mask);

// One line per group of threads that wait for the same thing at the same place, with the quoted
// source line; one for those that have exited; at the end the likely cause, when the state shows
// one.
std::string deadlock_report(const std::vector<Block>& blocks);

}  // namespace runtime
