#include <harness/backend.hpp>
#include <harness/programs.hpp>

#include <core/program.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace harness {
namespace {

constexpr const char* kElsewhere = " (--backend cpu runs it on the CPU)";

// The worse of two exit statuses: a lost device, a wrong result, a refusal, none.
int worse(int one, int other) {
  constexpr int kWeights[] = {0, 2, 1, 3};
  return kWeights[one] < kWeights[other] ? other : one;
}

// --list
std::string listing() {
  std::string text;
  for (const Chapter& chapter : chapters()) {
    text += chapter.name + ": " + chapter.title + ". " + chapter.idea + "\n";
    std::vector<std::pair<std::string, std::string>> lines;
    for (const Variant& v : chapter.variants) lines.emplace_back(v.name, v.summary);
    lines.front().second += " (default)";
    for (const Demonstration& d : demonstrations()) {
      if (d.chapter == chapter.name) lines.emplace_back(d.name, d.summary + " (shown, not timed)");
    }
    std::size_t widest = 0;
    for (const auto& [name, summary] : lines) widest = std::max(widest, name.size());
    for (const auto& [name, summary] : lines) {
      text += formatted("  %-*s  %s\n", static_cast<int>(widest), name.c_str(), summary.c_str());
    }
  }
  return text;
}

// --check for one kernel at one shape: random operands, then small integers, which leave no room
// for rounding. One line when right; when wrong, what is. Returns an exit status.
int check_kernel(const Kernel& kernel, Trial& random, Trial& integers, const std::string& what) {
  std::string right = what + ": ok, rel_err ";
  for (Trial* trial : {&random, &integers}) {
    const Verdict verdict = trial->run(kernel.prepare(trial->device().problem()));
    if (!verdict.ok()) {
      const char* operands = trial == &random ? "random" : "integer";
      print(verdict.report(what + ": WRONG with " + operands + " operands"));
      return core::kWrongResult;
    }
    if (trial == &random) {
      right += formatted("%.1e (%s)", verdict.rel_err, verdict.coverage.c_str());
    }
  }
  print(right + ", integers exact\n");
  return core::kRight;
}

int check(const Job& job, const std::vector<gemm::Problem>& problems, const std::string& program) {
  int status = core::kRight;
  std::set<std::string> said;  // variants often share a reason
  const auto complain = [&](const std::string& line) {
    if (said.insert(line).second) std::fprintf(stderr, "%s: %s\n", program.c_str(), line.c_str());
  };
  Progress progress;
  for (const gemm::Problem& problem : problems) {
    const std::string shape = shape_of(problem).text();
    progress.show("operands of " + shape);
    std::string why_not;
    const SecondOpinion second = backend::second_opinion(problem, why_not);
    if (!why_not.empty()) complain("not held against cuBLAS: " + why_not);
    Trial random(problem, gemm::Values::kUniform, second);
    Trial integers(problem, gemm::Values::kIntegers, second);
    progress.clear();
    for (const Kernel& kernel : job.kernels) {
      try {
        const std::string what = kernel.label() + " " + shape + " " + job.options.dtype;
        status = worse(status, check_kernel(kernel, random, integers, what));
      } catch (const core::Refused& reason) {
        complain(core::one_line(reason.what()));
        if (!job.leaves_out) status = worse(status, core::kRefused);
      }
    }
  }
  return status;
}

// Throws core::Refused where this device cannot run the demonstration's chapter.
int show(const Demonstration& demonstration, const Options& options,
         const std::vector<std::string>& arguments) {
  backend::start(options, arguments, false);
  for (const Chapter& chapter : chapters()) {
    if (chapter.name != demonstration.chapter) continue;
    const auto reason = why_unsupported(chapter, backend::device().compute_capability);
    if (reason) throw core::Refused(*reason + kElsewhere);
  }
  return demonstration.run();
}

// Throws core::Refused with one line when so many sets of A, B and C cannot fit into the device's
// memory, or into this machine's: a copy of each, a matrix more on its way to the device or back,
// and what the CPU backend has as the device's.
void require_memory(const gemm::Problem& problem, const Device& device, int sets) {
  const double operands = operand_bytes(problem), on_device = sets * operands;
  const double on_host = on_device + operands + (device.memory_bytes ? 0 : on_device);
  const double host =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  const auto require = [&](double needed, const char* whose, double has) {
    constexpr double kGib = 1 << 30;
    if (needed <= 0.9 * has) return;
    throw core::Refused(
        formatted("shape %s: A, B and C take %.1f GiB, and all that is kept of them %.1f GiB; %s "
                  "has %.1f GiB",
                  problem.shape().c_str(), operands / kGib, needed / kGib, whose, has / kGib));
  };
  if (device.memory_bytes) {
    require(on_device, "the device", static_cast<double>(*device.memory_bytes));
  }
  require(on_host, "this machine", host);
}

std::vector<Shape> default_shapes(const Job& job, bool to_check) {
  // The second has ragged edges, with a K that every chapter takes. All have several tiles, and
  // every ring of stages wraps.
  if (to_check && !backend::is_gpu()) return {{256, 256, 256}, {200, 264, 328}};
  if (to_check) return {{1024, 1024, 1024}, {1000, 1016, 1032}};
  if (!backend::is_gpu()) return {{256, 256, 256}};
  if (!job.ladder) return {{4096, 4096, 4096}};
  return {{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}};
}

}  // namespace

int run(int argc, const char* const* argv, const std::string& program,
        const std::string& beside_name) {
  Options options = parse_options(argc, argv);
  if (!options.help.empty()) {
    print(options.help);
    return core::kRight;
  }
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Beside beside(beside_name, options, arguments);
  if (options.list) {
    print(listing());
    return beside.run({}, nullptr);
  }
  if (const Demonstration* demonstration = asked_for(options, demonstrations())) {
    return show(*demonstration, options, arguments);
  }
  Job job = plan_job(options, chapters(), demonstrations());
  std::optional<ResultFile> file;
  if (options.json) file.emplace(*options.json);
  backend::start(options, arguments);

  const bool measures = backend::is_gpu() ? options.bench || !options.check : options.counters;
  if (file && !measures) {
    throw core::Refused("--json: on the CPU backend only --counters measures something");
  }
  if (options.tune && !measures) {
    throw core::Refused("--tune: measures on a GPU, and this is the CPU backend");
  }
  Results results;
  results.device = backend::device();
  results.method.asked = options;
  results.chapters = job.chapters;
  for (Kernel& kernel : job.kernels) {
    kernel.unsupported = why_unsupported(*kernel.chapter, results.device.compute_capability);
    if (kernel.unsupported && !job.leaves_out) {
      throw core::Refused(*kernel.unsupported + kElsewhere);
    }
  }
  // `sets` of operands fit into memory.
  const auto problems = [&](bool to_check, int sets) {
    std::vector<gemm::Problem> all;
    for (const Shape& shape :
         options.shapes.empty() ? default_shapes(job, to_check) : options.shapes) {
      if (!to_check && shape.empty()) {
        throw core::Refused("size " + shape.text() +
                            ": an empty problem has no speed; use --check");
      }
      all.push_back(problem_of(options, shape));
      require_memory(all.back(), results.device, sets);
    }
    return all;
  };
  int status = core::kRight;
  if (options.check || !measures) status = check(job, problems(true, 2), program);
  if (!measures || (options.check && !options.bench && !options.counters)) {
    return worse(status, beside.run({}, nullptr));
  }
  const std::vector<gemm::Problem> measured = problems(false, 1);
  std::vector<Shape> shapes;
  std::ranges::transform(measured, std::back_inserter(shapes), shape_of);
  status = worse(status, backend::measure(job, measured, results));
  std::string text = to_json(results, utc_now());
  status = worse(status, beside.run(shapes, file ? &text : nullptr));
  if (file) file->write(text);
  return status;
}

}  // namespace harness
