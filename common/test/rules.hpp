#pragma once
// What a chapter may decline, the one place that says so, and how thoroughly it is tried.

#include <harness/chapter.hpp>

#include <gemm/problem.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace test {

enum class Expected {
  kRight,           // C comes out right
  kRefused,         // core::Refused from prepare(), naming the chapter
  kRightOrRefused,  // an option that some chapters have: either, but never a wrong C
};

// For a problem that gemm::validate() accepts.
//   Chapters whose operands travel by TMA: bases and strides of A and B must be
//   multiples of 16 bytes. They are refused otherwise, unless C is empty or K = 0, where there is
//   nothing to travel.
//   Operand majors other than K, an epilogue, a split of K, an element type of C that differs from
//   A's: options.
Expected expected(const harness::Chapter& chapter, const gemm::Problem& problem);

// Of policies(chapter), those that case number `index` of a list is tried under: the first, and one
// of the others in turn. Four cases meet them all.
std::vector<std::string> policies_in_turn(const harness::Chapter& chapter, std::size_t index);

}  // namespace test
