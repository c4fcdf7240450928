#pragma once
// The gallery's exhibits: kernels with one planted bug each, and what becomes of them.

#include <cstddef>
#include <string>
#include <vector>

namespace gallery {

struct Exhibit {
  std::string name;     // "expect_too_many"
  std::string kernel;   // "hopper", "hopper, cluster of 2", "register_a", "ampere"
  std::string planted;  // what is planted, in one line
  std::size_t results;  // that the kernel computes
  std::size_t (*run)();
};

// Sizes are such that every ring is gone round more than twice.
const std::vector<Exhibit>& exhibits();
// They are those in the files of these names, one after the other.
std::vector<Exhibit> rings();
std::vector<Exhibit> layouts();

enum class Ending { kNotNoticed, kWrongResult, kNamed };

struct Outcome {
  Ending ending = Ending::kNotNoticed;
  std::size_t wrong = 0;  // results, with kWrongResult
  std::string message;    // with kNamed
};

// Runs an exhibit under a completion policy. core::Refused when there is no such policy.
Outcome run(const Exhibit& exhibit, const std::string& policy);

inline constexpr int kRandomSeeds = 3;
inline const std::vector<std::string> kPolicies = {"late",     "early",    "mix",
                                                   "random:1", "random:2", "random:3"};

// The outcomes of one exhibit under kPolicies.
struct Result {
  const Exhibit* exhibit;
  std::vector<Outcome> outcomes;

  // The first policy with the best outcome.
  std::size_t best() const;
};

Result run_all(const Exhibit& exhibit);
std::vector<Result> run_all();

// Every line wrapped at `columns`, continued lines indented by two more than they begin with. Lines
// of quoted source (six blanks and more) stay whole.
std::string wrapped(const std::string& text, std::size_t columns);

// "hopper.cuh:96: wgmma: ..." when some policy names the bug, else how many results are wrong.
std::string verdict(const Result& result);

// "late: named, early: not noticed, mix: named, random: named (2 of 3)".
std::string policies_line(const Result& result);

std::string markdown_table(const std::vector<Result>& results);  // for common/cpu/README.md

}  // namespace gallery
