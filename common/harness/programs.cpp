#include <harness/job.hpp>

#include <core/program.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>

namespace harness {
namespace {

// The worse of two exit statuses: a lost device, a wrong result, a refusal, none.
int worse(int one, int other) {
  constexpr int kWeights[] = {0, 2, 1, 3};
  return kWeights[one] < kWeights[other] ? other : one;
}

// --check. Every kernel with random operands, then with small integers, which leave no room for
// rounding. One line when right; when wrong, what is. Returns an exit status.
int check(const Job& job, const std::vector<gemm::Problem>& problems, const std::string& program) {
  int status = core::kRight;
  std::set<std::string> said;  // variants often share a reason
  const auto complain = [&](const std::string& line) {
    if (said.insert(line).second) std::fprintf(stderr, "%s: %s\n", program.c_str(), line.c_str());
  };
  for (const gemm::Problem& problem : problems) {
    const std::string shape = shape_of(problem).text();
    progress("operands of " + shape);
    std::string why_not;
    const SecondOpinion second = backend::second_opinion(problem, why_not);
    if (!why_not.empty()) complain("not held against cuBLAS: " + why_not);
    const Trial random(problem, gemm::Values::kUniform, second);
    const Trial integers(problem, gemm::Values::kIntegers, second);
    progress("");
    for (const Kernel& kernel : job.kernels) {
      const std::string what = kernel.label() + " " + shape + " " + job.options.dtype;
      try {
        const Verdict first = random.run(kernel.prepare(random.device().problem()));
        Verdict verdict = first;
        if (first.ok()) verdict = integers.run(kernel.prepare(integers.device().problem()));
        if (verdict.ok()) {
          print(what + formatted(": ok, rel_err %.1e (%s), integers exact\n", first.rel_err,
                                 first.coverage.c_str()));
          continue;
        }
        status = worse(status, core::kWrongResult);
        print(verdict.report(what + ": WRONG with " + (first.ok() ? "integer" : "random") +
                             " operands"));
      } catch (const core::Refused& reason) {
        complain(core::one_line(reason.what()));
        if (!job.leaves_out) status = worse(status, core::kRefused);
      }
    }
  }
  return status;
}

// Writes a trace where --trace says, once `make` has made it.
int write_trace(const Options& options, const std::function<std::string(int& status)>& make) {
  const core::OutputFile file(*options.trace, "--trace");
  int status = core::kRight;
  file.write(make(status));
  print(*options.trace + ": open it in https://ui.perfetto.dev\n");
  return status;
}

constexpr const char* kElsewhere = " (--backend cpu runs it on the CPU)";

std::string listing() {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& summary, const char* note) {
    text += formatted("  %-15s %s%s\n", name.c_str(), summary.c_str(), note);
  };
  for (const Chapter& chapter : chapters()) {
    text += chapter.name + ": " + chapter.title + ". " + chapter.idea + "\n";
    for (const Variant& v : chapter.variants) {
      add(v.name, v.summary, &v == chapter.variants.data() ? " (default)" : "");
    }
    for (const Demonstration& d : demonstrations()) {
      if (d.chapter == chapter.name) add(d.name, d.summary, " (shown, not timed)");
    }
  }
  return text;
}

// Throws core::Refused with one line when so many sets of A, B and C cannot fit into the device's
// memory, or into this machine's: a copy of each, C as computed, and the CPU backend's device.
void require_memory(const gemm::Problem& problem, const Device& device, int sets) {
  const auto require = [&](double copies, const char* whose, double bytes) {
    constexpr double kGib = 1 << 30;
    const double needed = copies * operand_bytes(problem);
    if (needed <= 0.9 * bytes) return;
    throw core::Refused("shape " + problem.shape() +
                        formatted(": all copies of A, B and C take %.1f GiB; %s has %.1f GiB",
                                  needed / kGib, whose, bytes / kGib));
  };
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  if (device.memory_bytes) require(sets, "the device", static_cast<double>(*device.memory_bytes));
  require((device.memory_bytes ? 2 : 3) * sets, "this machine",
          pages * static_cast<double>(sysconf(_SC_PAGE_SIZE)));
}

std::vector<Shape> shapes_of(const Job& job, bool to_check) {
  if (!job.options.shapes.empty()) return job.options.shapes;
  // The second has ragged edges, with a K that every chapter takes. All have several tiles, and
  // every ring of stages wraps.
  if (to_check && !kOnGpu) return {{256, 256, 256}, {200, 264, 328}};
  if (to_check) return {{1024, 1024, 1024}, {1000, 1016, 1032}};
  if (!kOnGpu) return {{256, 256, 256}};
  return {{4096, 4096, 4096}};
}

}  // namespace

void become(const std::string& suffix, const std::string& why,
            const std::vector<std::string>& arguments, const std::string& notice) {
  std::string base = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const std::string own : {"_cpu", "_traced"}) {
    if (base.ends_with(own)) base.resize(base.size() - own.size());
  }
  std::vector<std::string> command = {base + suffix};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (access(command[0].c_str(), X_OK) != 0) {
    throw core::Refused(why + ": there is no program " + command[0]);
  }
  std::fputs(notice.c_str(), stderr);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  std::fflush(nullptr);
  execv(words[0], words.data());
  throw core::Refused("cannot start " + command[0]);
}

int run(int argc, const char* const* argv, const std::string& program) {
  const struct NoProgress {
    ~NoProgress() { progress(""); }
  } before_complaints;
  std::ranges::sort(chapters(), {}, &Chapter::name);
  std::ranges::sort(demonstrations(), {}, &Demonstration::name);
  const Options options = parse_options(argc, argv);
  if (!options.help.empty() || options.list) {
    print(options.list ? listing() : options.help);
    return core::kRight;
  }
  if (const Demonstration* demonstration = asked_for(options)) {
    backend::start(options, false);
    const auto of = std::ranges::find(chapters(), demonstration->chapter, &Chapter::name);
    const auto reason = why_unsupported(*of, backend::device().compute_capability);
    if (reason) throw core::Refused(*reason + kElsewhere);
    if (demonstration->run != nullptr) return demonstration->run();
    if (options.trace) return write_trace(options, [&](int&) { return demonstration->trace(); });
    print(demonstration->trace());
    return core::kRight;
  }
  Job job = plan_job(options);
  std::optional<core::OutputFile> file;
  if (options.json) file.emplace(*options.json);
  backend::start(options);
  const bool measures = kOnGpu ? options.bench || !options.check : options.counters;
  if (!measures && (file || options.tune)) {
    throw core::Refused(kOnGpu ? "--json: holds measurements; add --bench"
                               : "--json, --tune: on the CPU backend only --counters measures");
  }
  Results results{.device = backend::device(), .asked = options};
  for (Kernel& kernel : job.kernels) {
    kernel.unsupported = why_unsupported(*kernel.chapter, results.device.compute_capability);
    if (kernel.unsupported && !job.leaves_out)
      throw core::Refused(*kernel.unsupported + kElsewhere);
    auto& of = results.chapters;
    if (of.empty() || of.back() != kernel.chapter) of.push_back(kernel.chapter);
  }
  // `sets` of operands fit into memory.
  const auto problems = [&](bool to_check, int sets) {
    std::vector<gemm::Problem> all;
    for (const Shape& shape : shapes_of(job, to_check)) {
      all.push_back(problem_of(options, shape));
      require_memory(all.back(), results.device, sets);
    }
    return all;
  };
  if (options.trace) {
    return write_trace(
        options, [&](int& ended) { return backend::trace(job, problems(true, 2).front(), ended); });
  }
  int status = core::kRight;
  if (options.check || !measures) status = check(job, problems(true, 2), program);
  if (!measures) return status;
  const std::vector<gemm::Problem> measured = problems(false, options.cold ? 2 : 1);
  if (options.sweep && file) {
    std::ifstream before(*options.json);
    results.earlier = {std::istreambuf_iterator<char>(before), {}};
  }
  const std::size_t done = std::min(shapes_in(results.earlier, results), measured.size());
  const auto measure = backend::measuring(job, results);
  for (const gemm::Problem& problem : std::span(measured).subspan(done)) {
    status = worse(status, measure(problem));
    if (file) file->write(to_json(results, utc_now()));
  }
  return status;
}

}  // namespace harness
