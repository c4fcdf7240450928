#include <harness/job.hpp>

#include <gemm/operands.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

namespace harness {
namespace {

constexpr const char* kFooter =
    R"(Without --check or --bench: a verified, timed table on a GPU, a check on the CPU backend.

Exit status: 0 right, 1 wrong result, 2 bad usage or a refused problem, 3 device or CUDA error.)";

// In the order of gemm::EpilogueKind.
const std::vector<std::string> kEpilogues = {"identity", "alpha_beta", "bias_relu",
                                             "bias",     "bias_gelu",  "bias_silu"};

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::ranges::count(list, value) > 0;
}

void require_known(const std::string& option, const std::vector<std::string>& wanted,
                   const std::vector<std::string>& known) {
  for (const std::string& name : wanted) {
    if (contains(known, name)) continue;
    const bool few = known.size() <= 13;  // a dozen and "all"
    throw core::Refused(
        option + name + ": " +
        (few ? "choose from " + CLI::detail::join(known, ", ") : "there is none here; see --list"));
  }
}

// Of "N" or "MxNxK".
Shape shape_from(const std::string& text) {
  const CLI::Range in_range(std::int64_t{0}, std::int64_t{gemm::kLargestSize});
  std::vector<std::string> sizes = CLI::detail::split(text, 'x');
  if (sizes.size() == 1) sizes.resize(3, text);
  const auto bad = [&](std::string& size) { return !in_range(size).empty(); };
  if (sizes.size() != 3 || std::ranges::any_of(sizes, bad)) {
    throw core::Refused("--size, --shape: " + text + " is not N or MxNxK, such as " +
                        "4096x14336x4096, each from 0 to " + std::to_string(gemm::kLargestSize));
  }
  return {std::stol(sizes[0]), std::stol(sizes[1]), std::stol(sizes[2])};
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options o;
  std::vector<std::string> shapes;
  std::vector<std::uint64_t> sweep;
  CLI::App app(
      "C = A * B^T, A (M, K) and B (N, K): checked against an fp64 reference, timed beside "
      "cuBLAS.");
  app.footer(kFooter);
  app.get_formatter()->column_width(32);
  // In the help an option shows its type name, which may be a choice, and not its checks.
  const auto add = [&](const char* flag, auto& value, const std::string& type, const char* help,
                       CLI::Validator check = {}) {
    CLI::Option* const option = app.add_option(flag, value, help)->type_name(type);
    const auto choice = CLI::detail::split(type, '|');
    if (choice.size() > 1) check = CLI::IsMember(choice);
    return option->allow_extra_args(false)->check(check.description(""));
  };
  add("--size,--shape", shapes, "N,MxNxK", "sizes (M = N = K) or shapes")->delimiter(',');
  add("--sweep", sweep, "SEED[,COUNT]",
      "shapes that nobody tuned for, drawn from the seed\n(100); goes on where --json FILE ends")
      ->delimiter(',');
  add("--dtype", o.dtype, "bf16|fp16", "element type of A, B and C (bf16)");
  add("--c-dtype", o.c_dtype, "fp32", "element type of C, if not that of A and B",
      CLI::IsMember({"fp32"}));
  add("--backend", o.backend, "cuda|cpu", "where the kernel runs");
  app.add_flag("--check", o.check, "compare with the fp64 reference and, on a GPU, with cuBLAS");
  app.add_flag("--bench", o.bench, "verify, then measure");
  add("--mode", o.mode, "burst|sustained", "cool and short, or hot and long (burst)");
  add("--rounds", o.rounds, "N", "samples of every kernel", CLI::Range(1, 1000));
  app.add_flag("--cold", o.cold, "operands of large problems change from launch to launch, too");
  app.add_flag("--leave-out", o.leave_out, "go on without what is refused or takes too long");
  add("--variant", o.variants, "NAME", "one of the chapter's variants, repeatable; all");
  add("--chapter", o.chapters, "NAME", "one of the program's chapters, repeatable");
  app.add_flag("--list", o.list, "chapters and variants, then stop");
  add("--json", o.json, "FILE", "write the measurements");
  add("--trace", o.trace, "FILE",
      "write what one block does as a Chrome trace,\nfor https://ui.perfetto.dev");
  add("--async", o.async, "POLICY",
      "late|early|mix|random:SEED: when asynchronous\noperations complete (CPU backend)");
  app.add_flag("--counters", o.counters, "count memory traffic instead (CPU backend)");
  add("--layout", o.layout, "tn|nn|nt|tt", "operand majors (tn: both K-major)");
  add("--epilogue", o.epilogue, "NAME", "identity|alpha_beta|bias[_relu|_gelu|_silu]",
      CLI::IsMember(kEpilogues));
  add("--split", o.split, "P", "cut K into P parts", CLI::PositiveNumber);
  app.add_flag("--tune", o.tune, "measure all of the chapter's configurations");
  app.add_flag("--ablation", o.ablation, "measure with each trick switched off");

  const auto exclude = [&](const char* flag, const char* others) {
    for (const std::string& other : CLI::detail::split(others, ' ')) {
      app.get_option(flag)->excludes(app.get_option(other));
    }
  };
  exclude("--sweep", "--size");
  exclude("--counters", "--bench --mode --rounds --cold");
  exclude("--trace", "--check --bench --counters --json --tune --ablation --sweep");
  exclude("--ablation", "--variant");
  exclude("--tune",
          "--check --counters --variant --ablation --c-dtype --layout --epilogue --split");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    o.help = app.help();
    return o;
  } catch (const CLI::ParseError& error) {
    throw core::Refused(std::string(error.what()) + " (--help shows the usage)");
  }
  std::ranges::transform(shapes, std::back_inserter(o.shapes), shape_from);
  if (sweep.size() == 1) sweep.push_back(kSweepCount);
  if (!sweep.empty()) {
    if (sweep.size() > 2 || sweep[1] < 1 || sweep[1] > kSweepCount) {
      throw core::Refused("--sweep: must be SEED or SEED,COUNT, with a COUNT from 1 to " +
                          std::to_string(kSweepCount));
    }
    o.sweep = sweep[0];
    o.shapes = sweep_shapes(sweep[0], static_cast<int>(sweep[1]));
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& value : option->results()) o.words.push_back(option->get_name() + "=" + value);
  }

  const bool only_check = o.check && !o.bench, cuda = o.backend == "cuda";
  const auto refuse = [](bool broken, const char* rule) {
    if (broken) throw core::Refused(rule);
  };
  refuse((!o.check || o.bench || o.counters) && std::ranges::any_of(o.shapes, &Shape::empty),
         "--size, --shape: an empty problem has no speed; use --check");
  refuse(only_check && (contains(o.words, "--mode=" + o.mode) || o.rounds || o.cold),
         "--mode, --rounds and --cold: belong to --bench, not to --check");
  refuse(cuda && (o.counters || o.async),
         "--counters, --async: belong to the CPU backend, not to --backend cuda");
  refuse(o.variants.size() > 1 && contains(o.variants, "all"),
         "--variant all: contradicts naming single variants");
  refuse(o.json == "" || o.trace == "", "--json, --trace: '' is not the name of a file");
  return o;
}

std::optional<std::string> why_undeclared(const Chapter& chapter, const gemm::Problem& p) {
  std::optional<std::string> reason;
  const auto require = [&](bool declared, const std::string& what, const std::string& where) {
    if (!declared && !reason) reason = chapter.name + ": has no " + what + "; " + where;
  };
  const std::string layout = {p.a_major == gemm::Major::kK ? 't' : 'n',
                              p.b_major == gemm::Major::kK ? 'n' : 't'};
  require(contains(chapter.layouts, layout), "layout " + layout,
          "every_shape takes all four, 04_mma_ldmatrix/n_major tt, 06_wgmma_tma/lab shows why");
  const std::string epilogue = kEpilogues[static_cast<std::size_t>(p.epilogue.kind)];
  require(contains(chapter.epilogues, epilogue), "epilogue " + epilogue,
          "every_shape and 05_swizzle_pipeline/epilogue have it");
  const std::string c_type(gemm::name(p.c_type)), type(gemm::name(p.type));
  require(c_type == type || (chapter.fp32_c && p.c_type == gemm::DataType::kFp32),
          c_type + " C for " + type + " operands", "every_shape takes an fp32 C");
  require(p.split_k == 1 || chapter.splits_k,
          "split of K (split " + std::to_string(p.split_k) + ")",
          "05_swizzle_pipeline/split_k takes --split, every_shape splits by itself");
  return reason;
}

Plan prepare(const Chapter& chapter, const Variant& variant, const gemm::Problem& problem) {
  gemm::validate(problem, chapter.name);
  if (const auto reason = why_undeclared(chapter, problem)) throw core::Refused(*reason);
  if (chapter.tma_operands) gemm::require_tma(problem, chapter.name);
  return variant.prepare(problem);
}

std::vector<Plan> Job::plans(const Kernel& kernel, const std::vector<gemm::Problem>& problems,
                             Row& row) const {
  std::vector<Plan> all;
  try {
    for (const gemm::Problem& problem : problems) all.push_back(kernel.prepare(problem));
    return all;
  } catch (const core::Refused& reason) {
    if (!leaves_out) throw;
    const std::string text = reason.what(), prefix = row.chapter + ": ";
    row.skipped = text.starts_with(prefix) ? text.substr(prefix.size()) : text;
    return {};
  }
}

Job plan_job(const Options& o) {
  std::vector<std::string> names, known = {"all"};
  for (const Chapter& chapter : chapters()) names.push_back(chapter.name);
  require_known("--chapter ", o.chapters, names);
  Job job{.options = o, .ladder = chapters().size() > 1};
  job.leaves_out = o.leave_out || (job.ladder && o.chapters.empty());
  const bool all = contains(o.variants, "all");
  std::string unable = "nothing to do";
  for (const Chapter& chapter : chapters()) {
    if (!o.chapters.empty() && !contains(o.chapters, chapter.name)) continue;
    for (const Variant& v : chapter.variants) known.push_back(v.name);
    for (const Demonstration& d : demonstrations()) {
      if (d.chapter == chapter.name) known.push_back(d.name);
    }
    auto reason = why_undeclared(chapter, problem_of(o, {1, 1, 1}));
    if (o.tune && chapter.tunings.empty()) reason = chapter.name + ": --tune: has nothing to tune";
    if (o.ablation && chapter.ablations.empty()) {
      reason = chapter.name + ": --ablation: has no tricks that can be switched off";
    }
    if (reason) {
      unable = *reason;
      continue;
    }
    for (const auto* list : {&chapter.variants, &chapter.tunings, &chapter.ablations}) {
      for (const Variant& v : *list) {
        const bool is_default = &v == chapter.variants.data();
        bool wanted = o.variants.empty() ? is_default : all || contains(o.variants, v.name);
        if (list != &chapter.variants) wanted = list == &chapter.tunings ? o.tune : o.ablation;
        if (wanted) job.kernels.push_back({&chapter, &v});
      }
    }
  }
  require_known("--variant ", o.variants, known);
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
  for (const std::string& word : o.words) {
    const std::string option = word.substr(0, word.find('='));
    if (option == "--trace" && found->trace != nullptr) continue;
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
  const auto kind = std::ranges::find(kEpilogues, o.epilogue) - kEpilogues.begin();
  p.epilogue.kind = static_cast<gemm::EpilogueKind>(kind);
  if (p.epilogue.kind == gemm::EpilogueKind::kAlphaBeta)
    p.epilogue = {p.epilogue.kind, 2.0f, -1.0f};
  return p;
}

std::optional<std::string> why_unsupported(const Chapter& chapter, std::optional<int> capability) {
  const int needed = chapter.min_compute_capability, found = capability.value_or(needed);
  const bool only_there = chapter.ceiling == Ceiling::kWgmma;  // no later GPU has wgmma
  if (found == needed || (found > needed && !only_there)) return std::nullopt;
  return chapter.name + ": needs compute capability " + capability_text(needed) +
         (found > needed ? ", the only one with wgmma" : "") + "; this GPU has " +
         capability_text(found);
}

}  // namespace harness
