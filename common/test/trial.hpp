#pragma once
// The problems that every chapter is tried on, and how: by the verifier that programs check with.

#include <gemm/inputs.hpp>
#include <harness/chapter.hpp>
#include <harness/device_problem.hpp>

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

// A case in device memory, and what a kernel did to it.
struct Trial : harness::Trial {
  explicit Trial(const Case& c, std::uint64_t seed = 1)
      : harness::Trial(c.problem, c.values, {}, 1, seed,
                       {c.a_offset, c.b_offset, c.c_offset, true}) {}

  const gemm::Problem& problem() const { return device().problem(); }  // device pointers

  // C as it is before a run: poison, or old values where the epilogue reads them.
  void reset_c() { device().reset_c(); }

  // The bytes of C and all that surrounds it.
  gemm::Bytes fetch_c() const { return device().fetch_c().allocation; }

  // Everything that is wrong after a run, in lines; nothing when C is right, its surroundings are
  // untouched, and A and B are what they were.
  std::vector<std::string> complaints() const { return judge().failure; }
};

// Prepares and runs the case, and holds the outcome against what the chapter may decline. Nothing
// when all is as it should be, lines otherwise. What the device reports (core::DeviceError) is
// passed on. `trial` is the case's: one variant after another may use it.
std::vector<std::string> try_case(const harness::Chapter& chapter, const harness::Variant& variant,
                                  const Case& c, Trial& trial);

// Tries every variant of the program on each case, under the policies whose turn it is. A part of
// the contract tests, contract.cpp.
void try_all(const std::vector<Case>& cases);

// Nothing when the message is what a refusal should be: one line that names the chapter.
std::vector<std::string> judge_refusal(const harness::Chapter& chapter, const std::string& message);

}  // namespace test
