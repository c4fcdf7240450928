#pragma once
// What the command line asks for, in terms of the chapters that this program holds.

#include <harness/chapter.hpp>
#include <harness/device_problem.hpp>
#include <harness/options.hpp>
#include <harness/results.hpp>

#include <core/error.hpp>

#include <optional>
#include <string>
#include <vector>

namespace harness {

// A whole program, inside of core::run_main(): reads the command line, does what it asks for with
// the chapters that are linked in and with the program `beside` in the same folder (none where it
// is empty), prints, and returns the exit status (core::ExitStatus).
int run(int argc, const char* const* argv, const std::string& program, const std::string& beside);

// A chapter's variant that is to be checked or measured.
struct Kernel {
  const Chapter* chapter = nullptr;
  const Variant* variant = nullptr;
  bool is_default = false;                      // the chapter's own choice
  std::optional<std::string> unsupported = {};  // why this device cannot run it

  std::string label() const { return chapter->name + " " + variant->name; }

  // Throws core::Refused, also where this device cannot run it.
  Plan prepare(const gemm::Problem& problem) const;

  // Without results.
  Row row(const gemm::Problem& problem, const std::string& mode) const;
};

struct Job {
  Options options;
  std::vector<const Chapter*> chapters = {};  // with at least one kernel, in order
  std::vector<Kernel> kernels = {};
  bool ladder = false;      // the program holds several chapters
  bool leaves_out = false;  // what cannot be done is left out, not refused

  // The reason for the kernel's row, which names the chapter already. Throws it again where nothing
  // is left out.
  std::string left_out(const Kernel& kernel, const core::Refused& reason) const;
};

// Throws core::Refused with one line when a name is unknown, or when a chapter is asked for what it
// does not have. `available` must outlive the job.
Job plan_job(const Options& options, const std::vector<Chapter>& available,
             const std::vector<Demonstration>& shown);

// The demonstration that --variant names, or null. Throws core::Refused with one line when it is
// combined with anything that concerns a problem or a measurement.
const Demonstration* asked_for(const Options& options, const std::vector<Demonstration>& shown);

// The problem for one shape: sizes, type, majors, epilogue, split; packed; no pointers.
gemm::Problem problem_of(const Options& options, const Shape& shape);

// Nothing when a device of this compute capability can run the chapter; otherwise one line.
std::optional<std::string> why_unsupported(const Chapter& chapter, std::optional<int> capability);

}  // namespace harness
