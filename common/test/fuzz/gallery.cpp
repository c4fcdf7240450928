// The bug gallery's program.

#include "fuzz.hpp"

#include <cpu/gallery/program.hpp>

#include <algorithm>

int main(int argc, char** argv) {
  const fuzz::Target target{
      .name = "gallery",
      .run = gallery::run_program,
      .flags = {{"", {"missing_syncthreads", "lost_wait", "no_such_exhibit", "--", "", "-1"}},
                {"--async", {"late", "early", "mix", "random:3", "random:x", ""}},
                {"--list"},
                {"--markdown"},
                {"--time", {"8", "16", "0", "-8", "7", "8200", "99999999999", "8,16"}},
                {"--counters"},
                {"--json", {"run.json", "/dev/null", "/dev/full", "/no/such/folder/run.json", "."}},
                {"--help"}},
      // Without a word all exhibits run, as they do for the table.
      .long_run = [](const fuzz::Arguments& arguments) {
        return std::all_of(arguments.begin(), arguments.end(), [](const std::string& a) {
          return a.empty() || a == "--" || a.rfind("--m", 0) == 0;
        });
      }};
  return fuzz::fuzz_main(argc, argv, target);
}
