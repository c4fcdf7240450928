#include <harness/options.hpp>

#include <core/error.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace harness {
namespace {

constexpr int kMostRounds = 1000;

[[noreturn]] void refuse(std::string_view flag, std::string_view value, std::string_view rule) {
  throw core::Refused(std::string(flag) + " " + std::string(value) + ": " + std::string(rule));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// A whole decimal number, nothing before or behind it.
std::int64_t parse_number(std::string_view flag, std::string_view whole, std::string_view digits,
                          std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    refuse(flag, whole, "'" + std::string(digits) + "' is not a whole number");
  }
  if (error == std::errc::result_out_of_range || value > most) {
    if (digits.front() != '-') refuse(flag, whole, "the most is " + std::to_string(most));
  }
  if (error == std::errc::result_out_of_range || value < least) {
    refuse(flag, whole,
           least == 0 ? "must not be negative" : "the least is " + std::to_string(least));
  }
  return value;
}

// The options that take a value. All are read as text, as often as they are given: repetition and
// range are judged here, so that every complaint has the same form.
struct Given {
  std::vector<std::string> size, shape, dtype, c_dtype, backend, mode, variant, chapter, json,
      async, layout, epilogue, split, rounds;
};

// The one value of an option; repeating the same value is harmless, another one contradicts.
std::optional<std::string> single(std::string_view flag, const std::vector<std::string>& values) {
  if (values.empty()) return std::nullopt;
  for (const std::string& value : values) {
    if (value != values.front())
      refuse(flag, value, "contradicts " + std::string(flag) + " " + values.front());
  }
  if (values.front().empty()) refuse(flag, "''", "needs a value");
  return values.front();
}

template <class T, std::size_t N>
std::optional<T> one_of(std::string_view flag, const std::vector<std::string>& values,
                        const std::array<std::pair<const char*, T>, N>& choices) {
  const auto value = single(flag, values);
  if (!value) return std::nullopt;
  std::string names;
  for (const auto& [choice, meaning] : choices) {
    if (*value == choice) return meaning;
    names += (names.empty() ? "" : ", ") + std::string(choice);
  }
  refuse(flag, *value, "must be one of " + names);
}

void require_async_policy(const std::string& value) {
  if (value == "late" || value == "early" || value == "mix") return;
  constexpr std::string_view kRandom = "random:";
  if (!value.starts_with(kRandom))
    refuse("--async", value, "must be one of late, early, mix, random:SEED");
  parse_number("--async", value, std::string_view(value).substr(kRandom.size()), 0,
               std::numeric_limits<std::int64_t>::max());
}

// CLI11 takes "-4" for a short flag. Written as --size=-4 it arrives as a value, and is refused as
// one.
std::vector<std::string> join_negative_values(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool negative = word.size() > 1 && word[0] == '-' && word[1] >= '0' && word[1] <= '9';
    if (negative && !arguments.empty() && arguments.back().starts_with("--") &&
        arguments.back().find('=') == std::string::npos) {
      arguments.back() += "=" + std::string(word);
    } else {
      arguments.emplace_back(word);
    }
  }
  return arguments;
}

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

void require_consistent(const Options& o, const Given& given) {
  const bool only_check = o.check && !o.bench;
  if (!given.size.empty() && !given.shape.empty()) {
    throw core::Refused("--size and --shape: give one of the two");
  }
  for (const Shape& shape : o.shapes) {
    if (shape.empty() && o.bench) {
      refuse("--bench", "at " + shape.text(), "an empty problem has no speed; --check takes it");
    }
  }
  if (only_check && o.mode) throw core::Refused("--mode: belongs to --bench, not to --check");
  if (only_check && o.rounds) throw core::Refused("--rounds: belongs to --bench, not to --check");
  if (only_check && o.cold) throw core::Refused("--cold: belongs to --bench, not to --check");
  if (only_check && o.json && !o.counters) {
    throw core::Refused("--json: holds measurements; add --bench or --counters");
  }
  if (o.counters && o.bench) {
    throw core::Refused(
        "--counters: counts on the CPU backend, which is never timed; leave out --bench");
  }
  if (o.counters && (o.mode || o.rounds || o.cold)) {
    throw core::Refused("--counters: counts once; leave out --mode, --rounds and --cold");
  }
  const bool cuda = o.backend == Backend::kCuda;
  if (cuda && o.counters)
    throw core::Refused("--counters: belongs to the CPU backend, not to --backend cuda");
  if (cuda && o.async)
    throw core::Refused("--async: belongs to the CPU backend, not to --backend cuda");
  if (o.variants.size() > 1) {
    for (const std::string& variant : o.variants) {
      if (variant == "all")
        throw core::Refused("--variant all: contradicts naming single variants");
    }
  }
  if (o.tune && (o.check || o.counters)) {
    throw core::Refused("--tune: measures; leave out --check and --counters");
  }
  if (o.tune && (o.fp32_c || o.layout != "tn" || o.epilogue != "identity" || o.split != 1)) {
    throw core::Refused(
        "--tune: is for plain problems; leave out --c-dtype, --layout, --epilogue "
        "and --split");
  }
  if (o.tune && o.ablation) throw core::Refused("--tune and --ablation: give one of the two");
  if ((o.tune || o.ablation) && !o.variants.empty()) {
    throw core::Refused(
        "--variant: contradicts --tune and --ablation, which choose what is measured");
  }
}

}  // namespace

std::string_view name(Mode mode) {
  return mode == Mode::kBurst ? "burst" : "sustained";
}

std::string Shape::text() const {
  const std::string rows = std::to_string(m);
  if (m == n && n == k) return rows;
  return rows + "x" + std::to_string(n) + "x" + std::to_string(k);
}

Shape shape_of(const gemm::Problem& problem) {
  return {problem.m, problem.n, problem.k};
}

std::vector<Shape> parse_sizes(std::string_view list) {
  std::vector<Shape> shapes;
  for (const std::string_view part : split(list, ',')) {
    const std::int64_t size = parse_number("--size", list, part, 0, gemm::kLargestSize);
    shapes.push_back({size, size, size});
  }
  return shapes;
}

std::vector<Shape> parse_shapes(std::string_view list) {
  std::vector<Shape> shapes;
  for (const std::string_view part : split(list, ',')) {
    const auto extents = split(part, 'x');
    if (extents.size() != 3) refuse("--shape", list, "must be MxNxK, such as 4096x14336x4096");
    const auto extent = [&](int i) {
      return parse_number("--shape", list, extents[i], 0, gemm::kLargestSize);
    };
    shapes.push_back({extent(0), extent(1), extent(2)});
  }
  return shapes;
}

Options parse_options(int argc, const char* const* argv) {
  Options o;
  Given given;
  CLI::App app(
      "C = A * B^T, A (M, K) and B (N, K): checked against an fp64 reference, timed beside "
      "cuBLAS.");
  app.footer(kExamples);
  app.get_formatter()->column_width(32);
  const auto value = [&](const char* flag, std::vector<std::string>& into, const char* type,
                         const char* text) {
    app.add_option(flag, into, text)
        ->type_name(type)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  value("--size", given.size, "N[,N...]", "sizes, M = N = K");
  value("--shape", given.shape, "MxNxK[,...]", "shapes");
  value("--dtype", given.dtype, "bf16|fp16", "element type of A, B and C (bf16)");
  value("--c-dtype", given.c_dtype, "fp32", "element type of C, if not that of A and B");
  value("--backend", given.backend, "cuda|cpu", "where the kernel runs");
  app.add_flag("--check", o.check, "compare with the fp64 reference and, on a GPU, with cuBLAS");
  app.add_flag("--bench", o.bench, "verify, then measure");
  value("--mode", given.mode, "burst|sustained", "cool and short, or hot and long (burst)");
  value("--rounds", given.rounds, "N", "samples of every kernel");
  app.add_flag("--cold", o.cold, "operands of large problems change from launch to launch, too");
  app.add_flag("--leave-out", o.leave_out, "go on without what is refused or takes too long");
  value("--variant", given.variant, "NAME", "one of the chapter's variants, repeatable; all");
  value("--chapter", given.chapter, "NAME", "one of the program's chapters, repeatable");
  app.add_flag("--list", o.list, "chapters and variants, then stop");
  value("--json", given.json, "FILE", "write the measurements");
  value("--async", given.async, "POLICY",
        "late|early|mix|random:SEED: when asynchronous\n"
        "operations complete (CPU backend)");
  app.add_flag("--counters", o.counters, "count memory traffic instead (CPU backend)");
  value("--layout", given.layout, "tn|nn|nt|tt", "operand majors (tn: both K-major)");
  value("--epilogue", given.epilogue, "NAME", "identity|alpha_beta|bias_relu");
  value("--split", given.split, "P", "cut K into P parts");
  app.add_flag("--tune", o.tune,
               "measure the chapter's configurations; later runs\n"
               "use the fastest, kept in $GEMM_TUNED or\n"
               "~/.cache/gemm-steps/tuned.json");
  app.add_flag("--untuned", o.untuned, "take no notice of that file");
  app.add_flag("--ablation", o.ablation, "measure with each trick switched off");

  auto arguments = join_negative_values(argc, argv);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // what CLI11 wants
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    o.help = app.help();
    return o;
  } catch (const CLI::ParseError& error) {
    throw core::Refused(std::string(error.what()) + " (--help shows the usage)");
  }

  for (const std::string& list : given.size) {
    const auto more = parse_sizes(list);
    o.shapes.insert(o.shapes.end(), more.begin(), more.end());
  }
  for (const std::string& list : given.shape) {
    const auto more = parse_shapes(list);
    o.shapes.insert(o.shapes.end(), more.begin(), more.end());
  }
  using gemm::DataType;
  using Types = std::array<std::pair<const char*, DataType>, 2>;
  o.dtype =
      one_of("--dtype", given.dtype, Types{{{"bf16", DataType::kBf16}, {"fp16", DataType::kFp16}}})
          .value_or(DataType::kBf16);
  using OfC = std::array<std::pair<const char*, bool>, 1>;
  o.fp32_c = one_of("--c-dtype", given.c_dtype, OfC{{{"fp32", true}}}).value_or(false);
  using Backends = std::array<std::pair<const char*, Backend>, 2>;
  o.backend = one_of("--backend", given.backend,
                     Backends{{{"cuda", Backend::kCuda}, {"cpu", Backend::kCpu}}});
  using Modes = std::array<std::pair<const char*, Mode>, 2>;
  o.mode = one_of("--mode", given.mode,
                  Modes{{{"burst", Mode::kBurst}, {"sustained", Mode::kSustained}}});
  using Layouts = std::array<std::pair<const char*, const char*>, 4>;
  o.layout = one_of("--layout", given.layout,
                    Layouts{{{"tn", "tn"}, {"nn", "nn"}, {"nt", "nt"}, {"tt", "tt"}}})
                 .value_or("tn");
  using Epilogues = std::array<std::pair<const char*, const char*>, 3>;
  o.epilogue = one_of("--epilogue", given.epilogue,
                      Epilogues{{{"identity", "identity"},
                                 {"alpha_beta", "alpha_beta"},
                                 {"bias_relu", "bias_relu"}}})
                   .value_or("identity");
  if (const auto text = single("--rounds", given.rounds)) {
    o.rounds = static_cast<int>(parse_number("--rounds", *text, *text, 1, kMostRounds));
  }
  if (const auto text = single("--split", given.split)) {
    o.split =
        static_cast<int>(parse_number("--split", *text, *text, 1, std::numeric_limits<int>::max()));
  }
  o.json = single("--json", given.json);
  o.async = single("--async", given.async);
  if (o.async) require_async_policy(*o.async);
  o.variants = given.variant;
  o.chapters = given.chapter;
  require_consistent(o, given);
  return o;
}

}  // namespace harness
