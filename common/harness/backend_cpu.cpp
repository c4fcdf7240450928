// The CPU backend's share of the harness: it checks, and it counts. It is never timed.

#include <harness/job.hpp>

#include <runtime/counters.hpp>
#include <runtime/memory.hpp>
#include <runtime/settings.hpp>

namespace harness {

const bool kOnGpu = false;

void check_after_launches() {
  runtime::check_guards();
}

namespace backend {

void start(const Options& options, bool) {
  if (options.backend == "cuda") become("", "--backend cuda", options.words);
  if (options.counters && !runtime::traced) become("_traced", "--counters", options.words);
  if (options.async) runtime::set_policy(*options.async);
  if (options.bench) {
    print("The CPU backend is not timed (its speed says nothing about a GPU): checking only.\n");
  }
}

Device device() {
  return {.name = "CPU backend", .l2_bytes = static_cast<std::int64_t>(runtime::l2_bytes())};
}

SecondOpinion second_opinion(const gemm::Problem&, std::string&) {
  return {};
}

std::function<int(const gemm::Problem&)> measuring(const Job& job, Results& results) {
  results.asked.async = runtime::to_string(runtime::policy());
  results.software = {{"compiler", host_compiler()}};
  return [&](const gemm::Problem& problem) {
    int status = core::kRight;
    const std::string shape = shape_of(problem).text();
    const Trial trial(problem, gemm::Values::kUniform, {});
    std::vector<std::pair<std::string, Counters>> counted;
    std::string notes;
    for (const Kernel& kernel : job.kernels) {
      Row row = kernel.row(problem, results.mode());
      progress(kernel.label() + " " + shape);
      for (const Plan& plan : job.plans(kernel, trial.problems(), row)) {
        runtime::reset_counters();
        const Verdict verdict = trial.run(plan);
        row.counters = runtime::read_counters();
        row.rel_err = verdict.rel_err;
        if (verdict.ok()) {
          counted.emplace_back(job.ladder ? kernel.label() : kernel.variant->name, row.counters);
        } else {
          status = core::kWrongResult;
          row.skipped = "wrong result";
          notes += verdict.report(kernel.label() + ": WRONG");
        }
      }
      if (row.skipped && !row.rel_err)
        notes += kernel.label() + ": left out: " + *row.skipped + "\n";
      results.rows.push_back(std::move(row));
    }
    print("CPU backend, C = A B^T of " + shape + " " + job.options.dtype +
          ", results verified, one launch:\n\n" + counter_table(counted) + notes);
    return status;
  };
}

}  // namespace backend
}  // namespace harness
