#include <harness/job.hpp>

#include <core/program.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace harness {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::ranges::count(list, value) > 0;
}

// One line when the chapter lacks something that was asked for.
std::optional<std::string> why_unable(const Chapter& chapter, const Options& o) {
  if (const auto reason = why_undeclared(chapter, problem_of(o, {1, 1, 1}))) return reason;
  if (o.tune && chapter.tunings.empty()) {
    return chapter.name + ": --tune: has one configuration, nothing to tune";
  }
  if (o.ablation && chapter.ablations.empty()) {
    return chapter.name + ": --ablation: has no tricks that can be switched off";
  }
  return std::nullopt;
}

// "one, two"; for what a name may be.
template <class Named>
std::string names_of(const std::vector<Named>& list) {
  std::string text;
  for (const Named& item : list) text += (text.empty() ? "" : ", ") + item.name;
  return text;
}

}  // namespace

Plan Kernel::prepare(const gemm::Problem& problem) const {
  if (unsupported) throw core::Refused(*unsupported);
  return harness::prepare(*chapter, *variant, problem);
}

Row Kernel::row(const gemm::Problem& problem, const std::string& mode) const {
  return {.chapter = chapter->name,
          .variant = is_default() ? kDefaultVariant : variant->name,
          .shape = shape_of(problem),
          .dtype = std::string(gemm::name(problem.type)),
          .mode = mode};
}

std::string Job::left_out(const Kernel& kernel, const core::Refused& reason) const {
  if (!leaves_out) throw reason;
  const std::string text = reason.what(), prefix = kernel.chapter->name + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

Job plan_job(const Options& o) {
  for (const std::string& wanted : o.chapters) {
    if (std::ranges::count(chapters(), wanted, &Chapter::name) > 0) continue;
    throw core::Refused("--chapter " + wanted + ": this program holds " + names_of(chapters()));
  }
  Job job{.options = o, .ladder = chapters().size() > 1};
  job.leaves_out = o.leave_out || (job.ladder && o.chapters.empty());
  const bool all = contains(o.variants, "all");
  std::vector<std::string> unknown = o.variants;
  std::erase(unknown, "all");
  std::vector<const Chapter*> chosen;
  std::string unable = "nothing to do";
  for (const Chapter& chapter : chapters()) {
    if (!o.chapters.empty() && !contains(o.chapters, chapter.name)) continue;
    chosen.push_back(&chapter);
    for (const Variant& v : chapter.variants) std::erase(unknown, v.name);
    if (const auto reason = why_unable(chapter, o)) {
      unable = *reason;
      continue;
    }
    const std::size_t before = job.kernels.size();
    for (const Variant& v : chapter.variants) {
      const bool is_default = &v == &chapter.variants.front();
      const bool wanted = o.variants.empty() ? is_default : all || contains(o.variants, v.name);
      if (wanted) job.kernels.push_back({&chapter, &v});
    }
    for (const Variant& v : chapter.tunings) {
      if (o.tune) job.kernels.push_back({&chapter, &v});
    }
    for (const Variant& v : chapter.ablations) {
      if (o.ablation) job.kernels.push_back({&chapter, &v});
    }
    if (job.kernels.size() > before) job.chapters.push_back(&chapter);
  }
  if (!unknown.empty()) {
    std::string why = "no chapter has it; see --list";
    if (chosen.size() == 1) {
      why = "choose from " + names_of(chosen.front()->variants);
      for (const Demonstration& d : demonstrations()) {
        if (d.chapter == chosen.front()->name) why += ", " + d.name;
      }
    }
    throw core::Refused("--variant " + unknown.front() + ": " + why);
  }
  if (job.kernels.empty()) throw core::Refused(unable);
  return job;
}

const Demonstration* asked_for(const Options& o) {
  const auto found = std::ranges::find_if(demonstrations(), [&](const Demonstration& d) {
    return contains(o.variants, d.name) && (o.chapters.empty() || contains(o.chapters, d.chapter));
  });
  if (found == demonstrations().end()) return nullptr;
  const auto refuse = [&](const std::string& option) {
    throw core::Refused("--variant " + found->name + ": shows something, and takes no " + option);
  };
  if (o.variants.size() > 1) refuse("another --variant");
  for (const std::string& option : o.given) {
    if (!contains({"--variant", "--chapter", "--backend", "--async"}, option)) refuse(option);
  }
  return &*found;
}

gemm::Problem problem_of(const Options& o, const Shape& shape) {
  const auto type = o.dtype == "fp16" ? gemm::DataType::kFp16 : gemm::DataType::kBf16;
  gemm::Problem p = gemm::packed_problem(shape.m, shape.n, shape.k, type);
  // BLAS names the operands as its column-major eyes see them: t for an A whose rows are
  // contiguous, n for one whose columns are; for B it is the other way round.
  p.a_major = o.layout[0] == 't' ? gemm::Major::kK : gemm::Major::kMn;
  p.b_major = o.layout[1] == 'n' ? gemm::Major::kK : gemm::Major::kMn;
  p.lda = p.a_major == gemm::Major::kK ? shape.k : shape.m;
  p.ldb = p.b_major == gemm::Major::kK ? shape.k : shape.n;
  if (!o.c_dtype.empty()) p.c_type = gemm::DataType::kFp32;
  p.split_k = o.split;
  // Small integers: integer operands still give exact results.
  if (o.epilogue == "alpha_beta") p.epilogue = {gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f};
  if (o.epilogue == "bias_relu") p.epilogue.kind = gemm::EpilogueKind::kBiasRelu;
  return p;
}

std::optional<std::string> why_unsupported(const Chapter& chapter, std::optional<int> capability) {
  const int needed = chapter.min_compute_capability;
  const bool only_there = chapter.ceiling == Ceiling::kWgmma;  // no later GPU has wgmma
  if (!capability || *capability == needed) return std::nullopt;
  if (*capability > needed && !only_there) return std::nullopt;
  return chapter.name + ": needs compute capability " + capability_text(needed) +
         (*capability > needed ? ", the only one with wgmma" : "") + "; this GPU has " +
         capability_text(*capability);
}

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
  if (to_check && !on_gpu()) return {{256, 256, 256}, {200, 264, 328}};
  if (to_check) return {{1024, 1024, 1024}, {1000, 1016, 1032}};
  if (!on_gpu()) return {{256, 256, 256}};
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
  if (const Demonstration* demonstration = asked_for(options)) {
    return show(*demonstration, options, arguments);
  }
  Job job = plan_job(options);
  std::optional<ResultFile> file;
  if (options.json) file.emplace(*options.json);
  backend::start(options, arguments);

  const bool measures = on_gpu() ? options.bench || !options.check : options.counters;
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
