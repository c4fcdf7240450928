#pragma once
// What a program does with its chapters. What cannot be served is refused: core::Refused, one line.

#include <harness/device_problem.hpp>
#include <harness/results.hpp>

#include <core/error.hpp>

namespace harness {

// A whole program, inside of core::run_main(): reads the command line, does what it asks for with
// the chapters that are linked in, prints, and returns the exit status (core::ExitStatus).
int run(int argc, const char* const* argv, const std::string& program);

// A chapter's variant that is to be checked or measured.
struct Kernel {
  const Chapter* chapter = nullptr;
  const Variant* variant = nullptr;
  std::optional<std::string> unsupported = {};  // why this device cannot run it

  std::string label() const { return chapter->name + " " + variant->name; }

  Plan prepare(const gemm::Problem& problem) const {
    if (unsupported) throw core::Refused(*unsupported);
    return harness::prepare(*chapter, *variant, problem);
  }

  Row row(const gemm::Problem& problem, const std::string& mode) const {
    return {.chapter = chapter->name,
            .variant = variant == chapter->variants.data() ? kDefaultVariant : variant->name,
            .shape = shape_of(problem),
            .dtype = std::string(gemm::name(problem.type)),
            .mode = mode};
  }
};

struct Job {
  Options options;
  std::vector<Kernel> kernels = {};
  bool ladder = false;      // the program holds several chapters
  bool leaves_out = false;  // what cannot be done is left out, not refused

  // The kernel's plans for these problems. None where it refuses them and such kernels are left
  // out: then the row says why.
  std::vector<Plan> plans(const Kernel& kernel, const std::vector<gemm::Problem>& problems,
                          Row& row) const;
};

// Refuses names that are unknown, and what a chapter does not have.
Job plan_job(const Options& options);

// The demonstration that --variant names, or null. Not together with anything that concerns a
// problem or a measurement.
const Demonstration* asked_for(const Options& options);

// The problem for one shape: packed, without pointers.
gemm::Problem problem_of(const Options& options, const Shape& shape);

// Nothing when a device of this compute capability can run the chapter; otherwise one line.
std::optional<std::string> why_unsupported(const Chapter& chapter, std::optional<int> capability);

// A chapter is three programs that never share a link: NN_name (CUDA), NN_name_cpu, and
// NN_name_traced (the CPU backend with every load and store seen). Replaces this process by another
// of them, by its suffix, after printing `notice` to standard error. Where there is none, the
// refusal begins with `why`.
[[noreturn]] void become(const std::string& suffix, const std::string& why,
                         const std::vector<std::string>& arguments, const std::string& notice = "");

// What backend_cuda.cpp and backend_cpu.cpp, each in a library of its own, do differently.
namespace backend {

// Makes this the right program for the options, by becoming another one if need be: the CPU backend
// for --backend cpu, the traced one for --counters, and where there is no GPU. `sized`: the run is
// of some size, and a small one is added where the CPU backend stands in.
void start(const Options& options, bool sized = true);
Device device();

// Empty where there is none, with the reason (empty too where none is expected).
SecondOpinion second_opinion(const gemm::Problem& problem, std::string& why_not);

// What the first block of the only kernel does, as a Chrome trace: on the CPU backend, of what
// copies asynchronously or waits for an mbarrier. Changes the exit status where C is wrong.
std::string trace(const Job& job, const gemm::Problem& problem, int& status);

// Fills ceilings, method and software of the results. What it returns measures all kernels at a
// problem (GPU: times; CPU: counters), prints, adds rows to the results, and returns an exit
// status.
std::function<int(const gemm::Problem&)> measuring(const Job& job, Results& results);

}  // namespace backend
}  // namespace harness
