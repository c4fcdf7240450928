// The CPU backend's share of the harness: it checks, and it counts. It is never timed: how long a
// model of a GPU takes says nothing about the GPU.

#include <harness/backend.hpp>
#include <harness/programs.hpp>
#include <harness/progress.hpp>
#include <harness/tables.hpp>

#include <core/error.hpp>

#include <runtime/counters.hpp>
#include <runtime/memory.hpp>
#include <runtime/settings.hpp>

#include <cstdint>

namespace harness::backend {

Backend kind() {
  return Backend::kCpu;
}

void start(const Options& options, const std::vector<std::string>& arguments, bool) {
  if (options.backend == Backend::kCuda) {
    become(sibling_path(Sibling::kCuda, "--backend cuda"), arguments);
  }
  if (options.counters && !runtime::traced) {
    become(sibling_path(Sibling::kTraced, "--counters"), arguments);
  }
  if (options.async) runtime::set_policy(*options.async);
  if (options.bench) {
    print("The CPU backend is not timed (its speed says nothing about a GPU): checking only.\n");
  }
}

Device device() {
  Device device;
  device.name = "CPU backend";
  device.l2_bytes = static_cast<std::int64_t>(runtime::l2_bytes());
  return device;
}

SecondOpinion second_opinion(const gemm::Problem&, std::string&) {
  return {};
}

void after_launches() {
  runtime::check_guards();
}

int measure(const Job& job, const std::vector<gemm::Problem>& problems, Results& results) {
  int status = core::kRight;
  results.method.mode = "counters";
  results.method.async = runtime::to_string(runtime::policy());
  results.software.compiler = host_compiler();
  Progress progress;
  for (const gemm::Problem& problem : problems) {
    const std::string shape = shape_of(problem).text();
    Trial trial(problem, gemm::Values::kUniform, {});
    std::vector<Counted> counted;
    std::string notes;
    for (const Kernel& kernel : job.kernels) {
      Row row = row_of(kernel, problem, results.method.mode);
      progress.show(kernel.label() + " " + shape);
      try {
        const Plan plan = harness::prepare(kernel, trial.device().problem());
        trial.device().reset_c();
        runtime::reset_counters();
        plan.run(nullptr);
        row.counters = runtime::read_counters();
        after_launches();
        const Verdict verdict = trial.judge();
        row.rel_err = verdict.rel_err;
        if (verdict.ok()) {
          const std::string variant = kernel.is_default ? "" : " " + kernel.variant->name;
          const std::string label = job.ladder ? row.chapter + variant : kernel.variant->name;
          counted.push_back({label, row.counters});
        } else {
          status = core::kWrongResult;
          row.skipped = "wrong result";
          notes += kernel.label() + ": WRONG\n";
          for (const std::string& line : verdict.failure) notes += "  " + line + "\n";
        }
      } catch (const core::Refused& reason) {
        if (!job.leaves_out) throw;
        row.skipped = without_name(kernel, reason);
        notes += kernel.label() + ": left out: " + *row.skipped + "\n";
      }
      results.rows.push_back(std::move(row));
    }
    progress.clear();
    print("CPU backend, C = A B^T of " + shape + " " + std::string(gemm::name(problem.type)) +
          ", results verified, one launch:\n\n" + counter_table(counted) + notes);
  }
  return status;
}

}  // namespace harness::backend
