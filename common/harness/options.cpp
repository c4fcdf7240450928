#include <harness/options.hpp>

#include <core/error.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

namespace harness {
namespace {

constexpr int kMostRounds = 1000;

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

const CLI::Validator kAsyncPolicy(
    [](std::string& value) -> std::string {
      if (CLI::IsMember({"late", "early", "mix"})(value).empty()) return "";
      constexpr std::string_view kRandom = "random:";
      const std::string seed = value.starts_with(kRandom) ? value.substr(kRandom.size()) : "";
      const CLI::Range any(std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
      return any(seed).empty() ? "" : value + " is none of late, early, mix, random:SEED";
    },
    "");

// What the options' own rules cannot say, because it depends on several of them.
void require_consistent(const Options& o) {
  const bool only_check = o.check && !o.bench, cuda = o.backend == Backend::kCuda;
  const bool timing = o.mode || o.rounds || o.cold;
  const bool plain = !o.fp32_c && o.layout == "tn" && o.epilogue == "identity" && o.split == 1;
  const auto all = std::find(o.variants.begin(), o.variants.end(), "all");
  const auto empty =
      std::find_if(o.shapes.begin(), o.shapes.end(), [](const Shape& s) { return s.empty(); });
  const std::pair<bool, std::string> rules[] = {
      {o.bench && empty != o.shapes.end(),
       "--bench: an empty problem has no speed; --check takes it"},
      {only_check && timing, "--mode, --rounds and --cold: belong to --bench, not to --check"},
      {only_check && o.json && !o.counters,
       "--json: holds measurements; add --bench or --counters"},
      {o.counters && o.bench, "--counters: counts on the CPU backend, which is never timed"},
      {o.counters && timing, "--counters: counts once; leave out --mode, --rounds and --cold"},
      {cuda && o.counters, "--counters: belongs to the CPU backend, not to --backend cuda"},
      {cuda && o.async, "--async: belongs to the CPU backend, not to --backend cuda"},
      {o.variants.size() > 1 && all != o.variants.end(),
       "--variant all: contradicts naming single variants"},
      {o.tune && (o.check || o.counters), "--tune: measures; leave out --check and --counters"},
      {o.tune && !plain,
       "--tune: is for plain problems, without --c-dtype, --layout, --epilogue and --split"},
      {(o.tune || o.ablation) && !o.variants.empty(),
       "--variant: contradicts --tune and --ablation, which choose what is measured"},
  };
  for (const auto& [broken, rule] : rules) {
    if (broken) throw core::Refused(rule);
  }
}

}  // namespace

std::string_view name(Mode mode) {
  return mode == Mode::kBurst ? "burst" : "sustained";
}

std::string Shape::product() const {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

std::string Shape::text() const {
  return m == n && n == k ? std::to_string(m) : product();
}

Shape shape_of(const gemm::Problem& problem) {
  return {problem.m, problem.n, problem.k};
}

Options parse_options(int argc, const char* const* argv) {
  Options o;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> shapes;
  std::string dtype, c_dtype, backend, mode;
  CLI::App app(
      "C = A * B^T, A (M, K) and B (N, K): checked against an fp64 reference, timed beside "
      "cuBLAS.");
  app.footer(kExamples);
  app.get_formatter()->column_width(32);
  // In the help an option shows its type name, not its checks.
  const auto one_of = [](const std::string& names) {
    return CLI::IsMember(CLI::detail::split(names, '|')).description("");
  };
  const auto choice = [&](const char* flag, std::string& chosen, const char* names,
                          const char* help) {
    app.add_option(flag, chosen, help)->type_name(names)->check(one_of(names));
  };
  auto* const size =
      app.add_option("--size", sizes, "sizes, M = N = K")
          ->type_name("N[,N...]")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->check(CLI::Range(std::int64_t{0}, std::int64_t{gemm::kLargestSize}).description(""));
  app.add_option("--shape", shapes, "shapes")
      ->type_name("MxNxK[,...]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(size);
  choice("--dtype", dtype, "bf16|fp16", "element type of A, B and C (bf16)");
  choice("--c-dtype", c_dtype, "fp32", "element type of C, if not that of A and B");
  choice("--backend", backend, "cuda|cpu", "where the kernel runs");
  app.add_flag("--check", o.check, "compare with the fp64 reference and, on a GPU, with cuBLAS");
  app.add_flag("--bench", o.bench, "verify, then measure");
  choice("--mode", mode, "burst|sustained", "cool and short, or hot and long (burst)");
  app.add_option("--rounds", o.rounds, "samples of every kernel")
      ->type_name("N")
      ->check(CLI::Range(1, kMostRounds).description(""));
  app.add_flag("--cold", o.cold, "operands of large problems change from launch to launch, too");
  app.add_flag("--leave-out", o.leave_out, "go on without what is refused or takes too long");
  app.add_option("--variant", o.variants, "one of the chapter's variants, repeatable; all")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--chapter", o.chapters, "one of the program's chapters, repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("--list", o.list, "chapters and variants, then stop");
  app.add_option("--json", o.json, "write the measurements")->type_name("FILE");
  app.add_option("--async", o.async,
                 "late|early|mix|random:SEED: when asynchronous\n"
                 "operations complete (CPU backend)")
      ->type_name("POLICY")
      ->check(kAsyncPolicy);
  app.add_flag("--counters", o.counters, "count memory traffic instead (CPU backend)");
  choice("--layout", o.layout, "tn|nn|nt|tt", "operand majors (tn: both K-major)");
  app.add_option("--epilogue", o.epilogue, "identity|alpha_beta|bias_relu")
      ->type_name("NAME")
      ->check(one_of("identity|alpha_beta|bias_relu"));
  app.add_option("--split", o.split, "cut K into P parts")
      ->type_name("P")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()).description(""));
  auto* const tune = app.add_flag("--tune", o.tune, "measure all of the chapter's configurations");
  app.add_flag("--ablation", o.ablation, "measure with each trick switched off")->excludes(tune);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    o.help = app.help();
    return o;
  } catch (const CLI::ParseError& error) {
    throw core::Refused(std::string(error.what()) + " (--help shows the usage)");
  }

  const auto given = [&](const char* flag) { return app.count(flag) > 0; };
  for (const std::int64_t n : sizes) o.shapes.push_back({n, n, n});
  for (const std::string& text : shapes) o.shapes.push_back(shape_from(text));
  o.dtype = dtype == "fp16" ? gemm::DataType::kFp16 : gemm::DataType::kBf16;
  o.fp32_c = given("--c-dtype");
  if (given("--backend")) o.backend = backend == "cpu" ? Backend::kCpu : Backend::kCuda;
  if (given("--mode")) o.mode = mode == "burst" ? Mode::kBurst : Mode::kSustained;
  if (given("--json") && o.json.value_or("").empty()) {
    throw core::Refused("--json '': needs a file name");
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) o.given.push_back(option->get_name());
  }
  require_consistent(o);
  return o;
}

}  // namespace harness
