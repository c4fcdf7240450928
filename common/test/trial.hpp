#pragma once
// How a chapter is tried on a case, by the verifier that its program checks with.

#include <harness/chapter.hpp>
#include <harness/device_problem.hpp>
#include <test/cases.hpp>

#include <string>
#include <vector>

namespace test {

// A case in device memory, and what a kernel did to it.
struct Trial : harness::Trial {
  explicit Trial(const Case& c, std::uint64_t seed = 1)
      : harness::Trial(c.problem, c.values, {}, 1, seed,
                       {c.a_offset, c.b_offset, c.c_offset, true}) {}

  const gemm::Problem& problem() const { return device().problem(); }  // device pointers

  // C as it is before a run: poison, or old values where the epilogue reads them.
  void reset_c() { device().reset_c(); }

  // The bytes of C and all that surrounds it.
  std::vector<std::byte> fetch_c() const { return device().fetch_c().allocation; }

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
