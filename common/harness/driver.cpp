#include <harness/driver.hpp>

#include <harness/backend.hpp>
#include <harness/device_problem.hpp>
#include <harness/programs.hpp>
#include <harness/progress.hpp>
#include <harness/tables.hpp>

#include <core/error.hpp>
#include <core/program.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace harness {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

struct Outcome {
  bool wrong = false;
  bool refused = false;
  std::set<std::string> reasons;  // that were given: variants often share one

  int status() const {
    if (wrong) return core::kWrongResult;
    return refused ? core::kRefused : core::kRight;
  }
};

// "4096 of 16777216 entries against fp64, all against cuBLAS"
std::string coverage(const Verdict& verdict) {
  std::string text = verdict.checked == verdict.entries
                         ? "all " + std::to_string(verdict.entries) + " entries against fp64"
                         : std::to_string(verdict.checked) + " of " +
                               std::to_string(verdict.entries) + " entries against fp64";
  if (verdict.second_opinion) text += ", all against cuBLAS";
  return text;
}

// --check for one kernel at one shape: random operands, then small integers, which leave no room
// for rounding. One line when right; when wrong, what is.
void check_kernel(const Kernel& kernel, const std::string& program, std::vector<Trial*> trials,
                  const std::string& what, Outcome& outcome) {
  std::string right;
  for (Trial* trial : trials) {
    const bool integers = trial->host().values == gemm::Values::kIntegers;
    Verdict verdict;
    try {
      const Plan plan = prepare(kernel, trial->device().problem());
      trial->device().reset_c();
      plan.run(nullptr);
      gpu::synchronize();
      backend::after_launches();
      verdict = trial->judge();
    } catch (const core::Refused& reason) {
      const std::string line = core::one_line(reason.what());
      if (outcome.reasons.insert(line).second) {
        std::fprintf(stderr, "%s: %s\n", program.c_str(), line.c_str());
      }
      outcome.refused = true;
      return;
    }
    if (!verdict.ok) {
      outcome.wrong = true;
      print(what + ": WRONG with " + (integers ? "integers" : "random") + " operands\n");
      for (const std::string& line : verdict.failure) print("  " + line + "\n");
      return;
    }
    if (integers) {
      right += ", integers exact";
    } else {
      right += "ok, rel_err " + scientific(verdict.rel_err) + " (" + coverage(verdict) + ")";
    }
  }
  print(what + ": " + right + "\n");
}

int check(const Job& job, const std::vector<gemm::Problem>& problems, const std::string& program) {
  Outcome outcome;
  Progress progress;
  for (const gemm::Problem& problem : problems) {
    const std::string shape = shape_of(problem).text();
    progress.show("operands of " + shape);
    std::string why_not;
    const SecondOpinion second = backend::second_opinion(problem, why_not);
    if (!why_not.empty())
      std::fprintf(stderr, "%s: not held against cuBLAS: %s\n", program.c_str(), why_not.c_str());
    Trial random(problem, gemm::Values::kUniform, second);
    Trial integers(problem, gemm::Values::kIntegers, second);
    for (const Kernel& kernel : job.kernels) {
      const std::string what =
          kernel.label() + " " + shape + " " + std::string(gemm::name(problem.type));
      progress.show(what);
      progress.clear();
      if (kernel.unsupported) {
        std::fprintf(stderr, "%s: %s\n", program.c_str(), kernel.unsupported->c_str());
      } else {
        check_kernel(kernel, program, {&random, &integers}, what, outcome);
      }
    }
  }
  if (job.leaves_out) outcome.refused = false;
  return outcome.status();
}

// Throws core::Refused where this device cannot run the demonstration's chapter.
int show(const Demonstration& demonstration, const Options& options,
         const std::vector<std::string>& arguments) {
  backend::choose_program(options, arguments, false);
  backend::prepare(options);
  for (const Chapter& chapter : chapters()) {
    if (chapter.name != demonstration.chapter) continue;
    const auto reason = why_unsupported(chapter, backend::device().compute_capability);
    if (reason) throw core::Refused(*reason + kElsewhere);
  }
  return demonstration.run();
}

double host_memory_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

std::string gib(double bytes) {
  return fixed(bytes / (1 << 30), 1) + " GiB";
}

// Throws core::Refused with one line when so many sets of A, B and C cannot fit into the device's
// memory, or into this machine's: a copy of each, a matrix more on its way to the device or back,
// and what the CPU backend has as the device's.
void require_memory(const gemm::Problem& problem, const Device& device, int sets) {
  const double operands = operand_bytes(problem), on_device = sets * operands;
  const auto refuse = [&](double needed, const char* whose, double has) {
    throw core::Refused("shape " + problem.shape() + ": A, B and C take " + gib(operands) +
                        ", and all that is kept of them " + gib(needed) + "; " + whose + " has " +
                        gib(has));
  };
  // The host's own, and one matrix more on its way to the device or back.
  double on_host = sets * operands + operands;
  if (!device.memory_bytes) {
    on_host += on_device;
  } else if (on_device > 0.9 * static_cast<double>(*device.memory_bytes)) {
    refuse(on_device, "the device", static_cast<double>(*device.memory_bytes));
  }
  if (on_host > 0.9 * host_memory_bytes()) refuse(on_host, "this machine", host_memory_bytes());
}

// The problems of these shapes, `sets` of which fit into memory.
std::vector<gemm::Problem> problems_of(const Options& options, const std::vector<Shape>& shapes,
                                       const Device& device, int sets) {
  std::vector<gemm::Problem> problems;
  for (const Shape& shape : shapes) {
    problems.push_back(problem_of(options, shape));
    require_memory(problems.back(), device, sets);
  }
  return problems;
}

// The worse of two exit statuses: a lost device, a wrong result, a refusal, none.
int worse(int one, int other) {
  constexpr int kWeights[] = {0, 2, 1, 3};
  return kWeights[one] < kWeights[other] ? other : one;
}

}  // namespace

int run(int argc, const char* const* argv, const std::string& program,
        const std::string& beside_name) {
  Options options = parse_options(argc, argv);
  if (options.help) {
    print(*options.help);
    return core::kRight;
  }
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Beside beside(beside_name, options, arguments);
  if (options.list) {
    print(listing(chapters(), demonstrations()));
    return beside.run({}, nullptr);
  }
  if (const Demonstration* demonstration = asked_for(options, demonstrations())) {
    return show(*demonstration, options, arguments);
  }
  Job job = plan_job(options, chapters(), demonstrations());
  std::unique_ptr<ResultFile> file;
  if (options.json) file = std::make_unique<ResultFile>(*options.json);
  backend::choose_program(options, arguments);
  backend::prepare(options);

  const bool measures = backend::measures(options);
  if (file && !measures) {
    throw core::Refused("--json: on the CPU backend only --counters measures something");
  }
  if (options.tune && !measures) {
    throw core::Refused("--tune: measures on a GPU, and this is the CPU backend");
  }
  Results results;
  results.device = backend::device();
  meet_device(job, results.device.compute_capability);
  results.chapters = job.chapters;
  int status = core::kRight;
  if (options.check || !measures) {
    const auto shapes = options.shapes.empty() ? backend::check_shapes() : options.shapes;
    // Random operands and integers.
    status = check(job, problems_of(options, shapes, results.device, 2), program);
  }
  if (!measures || (options.check && !options.bench && !options.counters)) {
    return worse(status, beside.run({}, nullptr));
  }
  const auto shapes = options.shapes.empty() ? backend::measure_shapes(job) : options.shapes;
  for (const Shape& shape : shapes) {
    if (shape.empty())
      throw core::Refused("size " + shape.text() + ": an empty problem has no speed; use --check");
  }
  const auto problems = problems_of(options, shapes, results.device, 1);
  status = worse(status, backend::measure(job, problems, results));
  std::string text = to_json(results, utc_now());
  status = worse(status, beside.run(shapes, file ? &text : nullptr));
  if (file) file->write(text);
  return status;
}

}  // namespace harness
