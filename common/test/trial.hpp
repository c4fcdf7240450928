#pragma once
// One problem in device memory, and what a kernel did to it.

#include <harness/chapter.hpp>
#include <harness/device_problem.hpp>
#include <test/cases.hpp>

#include <gemm/guard.hpp>
#include <gemm/verify.hpp>

#include <set>
#include <string>
#include <vector>

namespace test {

// Memory of a trial. A and B end exactly where their last element ends, so that a checker of memory
// accesses sees every read that goes too far; C lies between poisoned guards.
class Trial {
 public:
  explicit Trial(const Case& c, std::uint64_t seed = 1);

  const gemm::Problem& problem() const { return problem_; }  // device pointers

  // C as it is before a run: poison, or old values where the epilogue reads them.
  void reset_c();

  // The bytes of C and all that surrounds it. Waits for nothing.
  std::vector<std::byte> fetch_c() const;

  // Everything that is wrong after a run, in lines; nothing when C is right, its surroundings are
  // untouched, and A and B are what they were.
  std::vector<std::string> complaints() const;

 private:
  struct Input {
    harness::DeviceMemory memory;
    std::vector<std::byte> image;  // what the memory holds
    void* start = nullptr;         // null for a matrix without elements
  };
  static Input place(const std::vector<std::byte>& contents, std::size_t offset_bytes);

  gemm::HostOperands host_;
  gemm::Problem problem_;
  Input a_, b_, bias_;
  gemm::GuardedMatrix c_layout_;
  harness::DeviceMemory c_;
};

// Prepares, runs and waits, and holds the outcome against expected(). Nothing when all is as it
// should be, lines otherwise. What the device reports (core::DeviceError) is passed on.
std::vector<std::string> try_case(const harness::Chapter& chapter, const harness::Variant& variant,
                                  const Case& c);

// A case that one variant after another is tried on, in the same memory. A plan that runs what
// another has run before (what_runs), and rightly, is not run again: variants share the kernels
// that they fall back to.
class SharedCase {
 public:
  explicit SharedCase(const Case& c) : case_(c), trial_(c) {}

  // As try_case.
  std::vector<std::string> try_variant(const harness::Chapter& chapter,
                                       const harness::Variant& variant);

 private:
  Case case_;
  Trial trial_;
  std::vector<harness::Plan> plans_;  // kept, so that no two have memory at the same address
  std::set<std::string> right_;
};

// Tries every variant of the program on each case, under the policies whose turn it is. A part of
// the contract tests, contract.cpp.
void try_all(const std::vector<Case>& cases);

// Nothing when the message is what a refusal should be: one line that names the chapter.
std::vector<std::string> judge_refusal(const harness::Chapter& chapter, const std::string& message);

}  // namespace test
