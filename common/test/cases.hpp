#pragma once
// The problems that every chapter is tried on.

#include <gemm/inputs.hpp>
#include <gemm/problem.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace test {

struct Case {
  gemm::Problem problem;  // no pointers
  gemm::Values values = gemm::Values::kIntegers;
  // Elements between a multiple of 256 bytes and the matrix's first element.
  std::int64_t a_offset = 0, b_offset = 0, c_offset = 0;
  bool repeat = false;  // run the plan a second time and expect the same bits
};

// "200x264x328 bf16 integers ld 328,328,264", and what else is unusual about it.
std::string label(const Case& c);

// Rows without gaps, and rows of C `ldc` apart.
Case packed(std::int64_t m, std::int64_t n, std::int64_t k,
            gemm::DataType type = gemm::DataType::kBf16,
            gemm::Values values = gemm::Values::kIntegers);
Case with_ldc(Case c, std::int64_t ldc);

// By what they are about, in both element types of A and B.
std::map<std::string, std::vector<Case>> all_cases();

// A few that a bug cannot hide from, in bf16: for planted bugs, where each costs a run and each
// element type a compilation.
std::vector<Case> revealing_cases();

}  // namespace test
