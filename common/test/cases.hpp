#pragma once
// The problems that every chapter is tried on.

#include <gemm/inputs.hpp>
#include <gemm/problem.hpp>

#include <cstdint>
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

// Every list but the last holds both element types of A and B.
std::vector<Case> square_cases();      // 64, 128, 256; integers and random
std::vector<Case> ragged_cases();      // no size a multiple of any tile
std::vector<Case> tiny_cases();        // smaller than any tile
std::vector<Case> skinny_cases();      // one row or column
std::vector<Case> deep_cases();        // K long enough to go round a ring of stages twice
std::vector<Case> empty_cases();       // M, N or K = 0
std::vector<Case> strided_cases();     // leading dimensions beyond packed, odd ones too
std::vector<Case> misaligned_cases();  // bases aligned to elements alone
std::vector<Case> option_cases();      // majors, epilogues, split K, fp32 C

// A few that a bug cannot hide from, in bf16: for planted bugs, where each costs a run and each
// element type a compilation.
std::vector<Case> revealing_cases();

}  // namespace test
