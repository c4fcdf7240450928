// A chapter's program, or `bench`, whichever chapters are linked beside it.

#include "fuzz.hpp"

#include <harness/driver.hpp>
#include <harness/job.hpp>

#include <core/error.hpp>
#include <core/program.hpp>

namespace {

using fuzz::Arguments;

constexpr double kMostWork = 64.0 * 64 * 64;  // multiplications of all kernels together

// Whether a kernel would have more to do than what fits among thousands of inputs. What the program
// refuses is not long.
bool long_run(const Arguments& arguments) {
  std::vector<const char*> argv{"fuzz"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  try {
    const harness::Options options =
        harness::parse_options(static_cast<int>(argv.size()), argv.data());
    if (options.help || options.list) return false;
    if (harness::asked_for(options, harness::demonstrations()) != nullptr) return true;
    const harness::Job job = harness::plan_job(options, harness::chapters(), {});
    if (options.shapes.empty()) return true;
    double work = 0;
    for (const harness::Shape& shape : options.shapes) {
      // A tile is computed whole, however little of it is inside C.
      work += (static_cast<double>(shape.m) + 32) * (static_cast<double>(shape.n) + 32) *
              (static_cast<double>(shape.k) + 32) / 8 * static_cast<double>(job.kernels.size());
      if (work > kMostWork && work < 1e13) return true;
    }
  } catch (const core::Refused&) {
  }
  return false;
}

Arguments names_of_variants() {
  Arguments names = {"all", "none", ""};
  for (const harness::Chapter& chapter : harness::chapters()) {
    for (const harness::Variant& variant : chapter.variants) names.push_back(variant.name);
  }
  for (const harness::Demonstration& d : harness::demonstrations()) names.push_back(d.name);
  return names;
}

Arguments names_of_chapters() {
  Arguments names = {"01", ""};
  for (const harness::Chapter& chapter : harness::chapters()) names.push_back(chapter.name);
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  const fuzz::Target target{
      .name = "fuzz",
      .run =
          [](int count, char** words) {
            return core::run_main("fuzz", harness::run, count, words, "fuzz");
          },
      .flags = {{"--size", {"8", "0", "1", "16", "-4", "24,8", "2147418112", "2147418113", "7x7"}},
                {"--size", {"8", "9", "16", "17"}},
                {"--shape",
                 {"8x16x24", "0x8x8", "8x0x8", "8x8x0", "9x7x13", "1x1x2147418112", "8x8"}},
                {"--shape", {"8x8x8", "3x5x8", "17x16x8,8x8x16", "2147418112x1x1"}},
                {"--dtype", {"bf16", "fp16", "fp32", ""}},
                {"--backend", {"cpu", "cuda", "gpu"}},
                {"--check"},
                {"--bench"},
                {"--mode", {"burst", "sustained", "cold"}},
                {"--rounds", {"1", "0", "1000", "1001", "99999999999999999999"}},
                {"--cold"},
                {"--leave-out"},
                {"--variant", names_of_variants()},
                {"--variant", {"all"}},
                {"--chapter", names_of_chapters()},
                {"--list"},
                {"--json",
                 {"run.json", "/dev/null", "/dev/full", "/no/such/folder/run.json", "/tmp", "."}},
                {"--async", {"late", "early", "mix", "random:1", "random:", "random:-1", "now"}},
                {"--counters"},
                {"--counters"},
                {"--json", {"run.json"}},
                {"--layout", {"tn", "nn", "nt", "tt", "xy"}},
                {"--epilogue", {"identity", "alpha_beta", "bias_relu", "gelu"}},
                {"--split", {"1", "2", "7", "0", "-1", "2147483647", "2147483648"}},
                {"--tune"},
                {"--c-dtype", {"fp32", "bf16", "fp16", "fp64"}},
                {"--ablation"},
                {"--help"},
                {"", {"8", "--", "-", "-x", "--no-such-flag", ""}}},
      .long_run = long_run};
  return fuzz::fuzz_main(argc, argv, target);
}
