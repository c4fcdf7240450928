// The bug gallery's program.

#include "fuzz.hpp"

#include <cpu/gallery/program.hpp>

#include <algorithm>

// Without a word all exhibits run, as they do for the table.
bool long_run(const fuzz::Arguments& arguments) {
  return std::all_of(arguments.begin(), arguments.end(), [](const std::string& a) {
    return a.empty() || a == "--" || a.starts_with("--m");
  });
}

int main(int argc, char** argv) {
  const fuzz::Arguments exhibits = {"missing_syncthreads", "lost_wait", "no_such_exhibit"};
  return fuzz::fuzz_main(argc, argv, {"gallery", gallery::run_program, exhibits, long_run});
}
