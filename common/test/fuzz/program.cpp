// A chapter's program, or `bench`, whichever chapters are linked beside it.

#include "fuzz.hpp"

#include <harness/job.hpp>

#include <core/error.hpp>
#include <core/program.hpp>

namespace {

using fuzz::Arguments;

// Whether a kernel would have more to do than what fits among thousands of inputs. What the program
// refuses is not long.
bool long_run(const Arguments& arguments) {
  std::vector<const char*> argv{"fuzz"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  try {
    const harness::Options options =
        harness::parse_options(static_cast<int>(argv.size()), argv.data());
    if (!options.help.empty() || options.list) return false;
    if (harness::asked_for(options) != nullptr) return true;
    const harness::Job job = harness::plan_job(options);
    if (options.shapes.empty()) return true;
    double work = 0;  // a tile is computed whole, however little of it is inside C
    for (const auto& [m, n, k] : options.shapes) {
      work += (m + 32.0) * (n + 32.0) * (k + 32.0) / 8 * static_cast<double>(job.kernels.size());
      if (work > 64 * 64 * 64 && work < 1e13) return true;
    }
  } catch (const core::Refused&) {
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments names = {"all", "01"};
  for (const harness::Chapter& chapter : harness::chapters()) {
    names.push_back(chapter.name);
    for (const harness::Variant& variant : chapter.variants) names.push_back(variant.name);
  }
  for (const harness::Demonstration& d : harness::demonstrations()) names.push_back(d.name);
  const auto run = [](int count, char** words) {
    return core::run_main("fuzz", harness::run, count, words, "fuzz");
  };
  return fuzz::fuzz_main(argc, argv, {"fuzz", run, names, long_run});
}
