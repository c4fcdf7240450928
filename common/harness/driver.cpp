#include <harness/driver.hpp>

#include <harness/backend.hpp>
#include <harness/memory_limit.hpp>
#include <harness/progress.hpp>
#include <harness/table.hpp>
#include <harness/tuned.hpp>

#include <core/error.hpp>
#include <core/program.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
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
void check_entrant(const Entrant& entrant, const std::string& program, std::vector<Trial*> trials,
                   const std::string& what, Outcome& outcome) {
  std::string right;
  for (Trial* trial : trials) {
    const bool integers = trial->host().values == gemm::Values::kIntegers;
    Verdict verdict;
    try {
      const Plan plan = harness::prepare(*entrant.chapter, *entrant.variant, trial->device().problem());
      verdict = trial->judge([&] {
        plan.run(nullptr);
        gpu::synchronize();
        backend::after_launches();
      });
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

Outcome check(const Job& job, const std::vector<Shape>& shapes, const Device& device,
              const std::string& program) {
  Outcome outcome;
  Progress progress;
  for (const Shape& shape : shapes) {
    const gemm::Problem problem = problem_of(job.options, shape);
    require_memory(problem, device, 2);  // random operands and integers
    progress.show("operands of " + shape.text());
    std::string why_not;
    const SecondOpinion second = backend::second_opinion(problem, why_not);
    if (!why_not.empty())
      std::fprintf(stderr, "%s: not held against cuBLAS: %s\n", program.c_str(), why_not.c_str());
    Trial random(problem, gemm::Values::kUniform, second);
    Trial integers(problem, gemm::Values::kIntegers, second);
    for (const Entrant& entrant : job.entrants) {
      const std::string what =
          entrant.label() + " " + shape.text() + " " + std::string(gemm::name(problem.type));
      progress.show(what);
      if (const auto reason = why_unsupported(*entrant.chapter, device.compute_capability)) {
        progress.clear();
        std::fprintf(stderr, "%s: %s\n", program.c_str(), reason->c_str());
        continue;
      }
      progress.clear();
      check_entrant(entrant, program, {&random, &integers}, what, outcome);
    }
  }
  if (job.leaves_out) outcome.refused = false;
  return outcome;
}

constexpr const char* kElsewhere = " (--backend cpu runs it on the CPU)";

// Where --tune will write; its folder is made.
std::unique_ptr<ResultFile> open_tuned_file() {
  if (!tuned_path()) throw core::Refused("--tune: no place to write to; set GEMM_TUNED to a file");
  const std::string path = *tuned_path();
  std::error_code ignored;  // the file itself will say what is wrong
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return std::make_unique<ResultFile>(path, "--tune");
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

int run(int argc, const char* const* argv, const std::string& program) {
  const Options options = parse_options(argc, argv);
  if (options.help) {
    print(*options.help);
    return core::kRight;
  }
  if (options.list) {
    print(listing(chapters(), demonstrations()));
    return core::kRight;
  }
  const std::vector<std::string> arguments(argv + 1, argv + argc);
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
  Tuned tuned;
  const auto tuned_from = tuned_path();
  if (measures && !options.untuned && tuned_from) tuned = Tuned::read(*tuned_from);
  if (!options.tune) use_tuned(job, tuned, results.device.name);
  std::unique_ptr<ResultFile> tuned_file;
  if (options.tune) tuned_file = open_tuned_file();
  results.chapters = job.chapters;
  for (const Chapter* chapter : job.chapters) {
    const auto reason = why_unsupported(*chapter, results.device.compute_capability);
    if (reason && !job.leaves_out) throw core::Refused(*reason + kElsewhere);
  }
  int status = core::kRight;
  if (options.check || !measures) {
    status = check(job, options.shapes.empty() ? backend::check_shapes() : options.shapes,
                   results.device, program)
                 .status();
  }
  if (!measures || (options.check && !options.bench && !options.counters)) return status;

  const auto shapes = options.shapes.empty() ? backend::measure_shapes(job) : options.shapes;
  for (const Shape& shape : shapes) {
    if (shape.empty())
      throw core::Refused("size " + shape.text() + ": an empty problem has no speed; use --check");
    require_memory(problem_of(options, shape), results.device, 1);
  }
  status = std::max(status, backend::measure(job, shapes, results));
  if (file) file->write(to_json(results, utc_now()));
  if (tuned_file) {
    const int count = add_fastest(tuned, results);
    tuned_file->write(tuned.text());
    print("\nfastest of " + std::to_string(count) + " problems: " + *tuned_from + "\n");
  }
  return status;
}

std::string base_name(const char* path) {
  const std::string text = path;
  return text.substr(text.find_last_of('/') + 1);
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  const std::string program = argc > 0 ? base_name(argv[0]) : "gemm";
  return core::run_main(program, [&] { return run(argc, argv, program); });
}

}  // namespace harness
