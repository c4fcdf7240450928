// The bug gallery's program.

#include "fuzz.hpp"

#include <cpu/gallery/program.hpp>

#include <algorithm>

int main(int argc, char** argv) {
  return fuzz::fuzz_main(argc, argv,
                         {"gallery",
                          gallery::run_program,
                          {"missing_syncthreads", "lost_wait", "no_such_exhibit"},
                          // Without a word all exhibits run, as they do for the table.
                          [](const fuzz::Arguments& arguments) {
                            return std::all_of(
                                arguments.begin(), arguments.end(), [](const std::string& a) {
                                  return a.empty() || a == "--" || a.starts_with("--m");
                                });
                          }});
}
