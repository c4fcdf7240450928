#pragma once
// What a program does, in terms of the chapters that it holds.

#include <harness/device_problem.hpp>
#include <harness/results.hpp>

#include <core/error.hpp>

#include <functional>

namespace harness {

// A whole program, inside of core::run_main(): reads the command line, does what it asks for with
// the chapters that are linked in and with the program `beside` in the same folder (none where it
// is empty), prints, and returns the exit status (core::ExitStatus).
int run(int argc, const char* const* argv, const std::string& program, const std::string& beside);

// A chapter's variant that is to be checked or measured.
struct Kernel {
  const Chapter* chapter = nullptr;
  const Variant* variant = nullptr;
  std::optional<std::string> unsupported = {};  // why this device cannot run it

  bool is_default() const { return variant == chapter->variants.data(); }
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
// does not have.
Job plan_job(const Options& options);

// The demonstration that --variant names, or null. Throws core::Refused with one line when it is
// combined with anything that concerns a problem or a measurement.
const Demonstration* asked_for(const Options& options);

// The problem for one shape: packed, without pointers.
gemm::Problem problem_of(const Options& options, const Shape& shape);

// Nothing when a device of this compute capability can run the chapter; otherwise one line.
std::optional<std::string> why_unsupported(const Chapter& chapter, std::optional<int> capability);

// A chapter is three programs that never share a link: NN_name (CUDA), NN_name_cpu, and
// NN_name_traced (the CPU backend with every load and store seen). Replaces this process by another
// of them, by its suffix, after printing `notice` to standard error. Where there is no such program
// throws core::Refused with one line that begins with `why`.
[[noreturn]] void become(const std::string& suffix, const std::string& why,
                         const std::vector<std::string>& arguments, const std::string& notice = "");

// What the two harness libraries do differently: backend_cuda.cpp goes into harness_cuda,
// backend_cpu.cpp into harness_cpu.
namespace backend {

// Makes this the right program for the options, by becoming another one if need be: the CPU backend
// for --backend cpu, the traced one for --counters, and where there is no GPU. `sized`: the run is
// of some size, and a small one is added where the CPU backend stands in.
void start(const Options& options, bool sized = true);

Device device();

// Empty where there is none, with the reason (empty too where none is expected).
SecondOpinion second_opinion(const gemm::Problem& problem, std::string& why_not);

// Measures all kernels at one problem after the other (GPU: times; CPU: counters), prints, fills
// ceilings, rows, method and software, and calls `keep` after each problem. Returns an exit status.
int measure(const Job& job, const std::vector<gemm::Problem>& problems, Results& results,
            const std::function<void()>& keep);

}  // namespace backend
}  // namespace harness
