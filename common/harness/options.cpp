#include <harness/options.hpp>

#include <harness/sweep.hpp>

#include <core/error.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

namespace harness {
namespace {

constexpr const char* kExamples =
    R"(Without --check or --bench: a verified, timed table on a GPU, a check on the CPU backend.

Examples:
  03_warptiling                                   check and time it at the default size
  03_warptiling --check --size 1000 --variant all
  03_warptiling --bench --size 1024,4096 --mode sustained
  03_warptiling --bench --shape 4096x14336x4096 --json run.json
  03_warptiling --backend cpu --async random:7    the same kernel on the CPU, completions shuffled
  03_warptiling --counters --size 256             sectors and bank conflicts, counted on the CPU
  bench --chapter 02_smem_tiling --chapter 03_warptiling

Exit status: 0 right, 1 wrong result, 2 bad usage or a refused problem, 3 device or CUDA error.)";

Shape shape_from(const std::string& text) {
  Shape shape;
  int used = 0;
  const int read =
      std::sscanf(text.c_str(), "%10ldx%10ldx%10ld%n", &shape.m, &shape.n, &shape.k, &used);
  const auto [least, most] = std::minmax({shape.m, shape.n, shape.k});
  const bool fits = static_cast<std::size_t>(used) == text.size() && least >= 0;
  if (read != 3 || !fits || most > gemm::kLargestSize) {
    throw core::Refused("--shape " + text + ": must be MxNxK, such as 4096x14336x4096, each from " +
                        "0 to " + std::to_string(gemm::kLargestSize));
  }
  return shape;
}

std::string wrong_policy(std::string& value) {
  constexpr std::string_view kRandom = "random:";
  const CLI::Range any_seed(std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
  std::string seed = value.starts_with(kRandom) ? value.substr(kRandom.size()) : "";
  if (value == "late" || value == "early" || value == "mix" || any_seed(seed).empty()) return "";
  return value + " is none of late, early, mix, random:SEED";
}

// Which options exclude which others.
const std::pair<const char*, std::vector<const char*>> kExclusive[] = {
    {"--size", {"--shape"}},
    {"--counters", {"--bench", "--mode", "--rounds", "--cold"}},
    {"--ablation", {"--variant"}},
    {"--tune",
     {"--check", "--counters", "--variant", "--ablation", "--c-dtype", "--layout", "--epilogue",
      "--split"}},
};

void require_consistent(const Options& o) {
  const bool only_check = o.check && !o.bench, cuda = o.backend == "cuda";
  const auto gives = [&o](const char* flag) { return std::ranges::count(o.given, flag) > 0; };
  for (const auto& [flag, others] : kExclusive) {
    for (const char* other : others) {
      if (gives(flag) && gives(other))
        throw core::Refused(flag + std::string(": excludes ") + other);
    }
  }
  const std::pair<bool, const char*> rules[] = {
      {o.bench && std::ranges::any_of(o.shapes, &Shape::empty),
       "--bench: an empty problem has no speed; --check takes it"},
      {only_check && (gives("--mode") || gives("--rounds") || gives("--cold")),
       "--mode, --rounds and --cold: belong to --bench, not to --check"},
      {only_check && o.json && !o.counters,
       "--json: holds measurements; add --bench or --counters"},
      {cuda && o.counters, "--counters: belongs to the CPU backend, not to --backend cuda"},
      {cuda && o.async, "--async: belongs to the CPU backend, not to --backend cuda"},
      {o.variants.size() > 1 && std::ranges::count(o.variants, "all") > 0,
       "--variant all: contradicts naming single variants"},
      {o.json == "", "--json '': needs a file name"},
  };
  for (const auto& [broken, rule] : rules) {
    if (broken) throw core::Refused(rule);
  }
}

}  // namespace

std::string Shape::text() const {
  const std::string size = std::to_string(m);
  return m == n && n == k ? size : size + "x" + std::to_string(n) + "x" + std::to_string(k);
}

Shape shape_of(const gemm::Problem& problem) {
  return {problem.m, problem.n, problem.k};
}

Options parse_options(int argc, const char* const* argv) {
  Options o;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> shapes;
  std::vector<std::uint64_t> sweep;
  CLI::App app(
      "C = A * B^T, A (M, K) and B (N, K): checked against an fp64 reference, timed beside "
      "cuBLAS.");
  app.footer(kExamples);
  app.get_formatter()->column_width(32);
  // In the help an option shows its type name, not its checks.
  const auto add = [&](const char* flag, auto& value, const char* type, const char* help,
                       CLI::Validator check = {}) {
    CLI::Option* const option = app.add_option(flag, value, help)->type_name(type);
    return option->allow_extra_args(false)->check(check.description(""));
  };
  const auto add_choice = [&](const char* flag, std::string& value, const char* names,
                              const char* help) {
    add(flag, value, names, help, CLI::IsMember(CLI::detail::split(names, '|')));
  };
  add("--size", sizes, "N[,N...]", "sizes, M = N = K",
      CLI::Range(std::int64_t{0}, std::int64_t{gemm::kLargestSize}))
      ->delimiter(',');
  add("--shape", shapes, "MxNxK[,...]", "shapes")->delimiter(',');
  add("--sweep", sweep, "SEED[,COUNT]",
      "shapes that nobody tuned for, drawn from the seed\n(100 of them); goes on where --json FILE "
      "ends")
      ->delimiter(',')
      ->excludes("--size")
      ->excludes("--shape");
  add_choice("--dtype", o.dtype, "bf16|fp16", "element type of A, B and C (bf16)");
  add_choice("--c-dtype", o.c_dtype, "fp32", "element type of C, if not that of A and B");
  add_choice("--backend", o.backend, "cuda|cpu", "where the kernel runs");
  app.add_flag("--check", o.check, "compare with the fp64 reference and, on a GPU, with cuBLAS");
  app.add_flag("--bench", o.bench, "verify, then measure");
  add_choice("--mode", o.mode, "burst|sustained", "cool and short, or hot and long (burst)");
  add("--rounds", o.rounds, "N", "samples of every kernel", CLI::Range(1, 1000));
  app.add_flag("--cold", o.cold, "operands of large problems change from launch to launch, too");
  app.add_flag("--leave-out", o.leave_out, "go on without what is refused or takes too long");
  add("--variant", o.variants, "NAME", "one of the chapter's variants, repeatable; all");
  add("--chapter", o.chapters, "NAME", "one of the program's chapters, repeatable");
  app.add_flag("--list", o.list, "chapters and variants, then stop");
  add("--json", o.json, "FILE", "write the measurements");
  add("--async", o.async, "POLICY",
      "late|early|mix|random:SEED: when asynchronous\noperations complete (CPU backend)",
      CLI::Validator(wrong_policy, ""));
  app.add_flag("--counters", o.counters, "count memory traffic instead (CPU backend)");
  add_choice("--layout", o.layout, "tn|nn|nt|tt", "operand majors (tn: both K-major)");
  add("--epilogue", o.epilogue, "NAME", "identity|alpha_beta|bias_relu",
      CLI::IsMember({"identity", "alpha_beta", "bias_relu"}));
  add("--split", o.split, "P", "cut K into P parts",
      CLI::Range(1, std::numeric_limits<int>::max()));
  app.add_flag("--tune", o.tune, "measure all of the chapter's configurations");
  app.add_flag("--ablation", o.ablation, "measure with each trick switched off");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    o.help = app.help();
    return o;
  } catch (const CLI::ParseError& error) {
    throw core::Refused(std::string(error.what()) + " (--help shows the usage)");
  }
  for (const std::int64_t n : sizes) o.shapes.push_back({n, n, n});
  std::ranges::transform(shapes, std::back_inserter(o.shapes), shape_from);
  if (!sweep.empty()) {
    const std::uint64_t count = sweep.size() > 1 ? sweep[1] : kSweepCount;
    if (sweep.size() > 2 || count < 1 || count > kSweepCount) {
      throw core::Refused("--sweep: must be SEED or SEED,COUNT, with a COUNT from 1 to " +
                          std::to_string(kSweepCount));
    }
    o.sweep = sweep[0];
    o.shapes = sweep_shapes(sweep[0], static_cast<int>(count));
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) o.given.push_back(option->get_name());
  }
  require_consistent(o);
  return o;
}

}  // namespace harness
