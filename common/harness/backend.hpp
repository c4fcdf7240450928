#pragma once
// What the two harness libraries do differently: measure.cpp and backend_cuda.cpp go into
// harness_cuda, backend_cpu.cpp into harness_cpu. A program has exactly one of them.

#include <harness/device_problem.hpp>
#include <harness/job.hpp>
#include <harness/results.hpp>

#include <string>
#include <vector>

namespace harness::backend {

bool is_gpu();

// Makes this the right program for the options, by becoming another one if need be: the CPU backend
// for --backend cpu, the traced one for --counters, and where there is no GPU. Then sets what must
// be set before the first launch. `arguments` are the command line without the program's name.
// `sized`: the run is of some size, and a small one is added where the CPU backend stands in.
void start(const Options& options, const std::vector<std::string>& arguments, bool sized = true);

Device device();

// Empty where there is none, with the reason (empty too where none is expected).
SecondOpinion second_opinion(const gemm::Problem& problem, std::string& why_not);

// Throws what the backend found out about the launches so far (core::DeviceError).
void after_launches();

// Measures all kernels at one problem after the other (GPU: times; CPU: counters), prints, fills
// ceilings, rows, method and software. Returns an exit status.
int measure(const Job& job, const std::vector<gemm::Problem>& problems, Results& results);

}  // namespace harness::backend
