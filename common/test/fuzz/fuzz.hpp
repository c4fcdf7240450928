#pragma once
// Throws command lines at a program's main function, inside this process: thousands in a second, so
// that sanitizers can look at all of them.

#include <functional>
#include <string>
#include <vector>

namespace fuzz {

using Arguments = std::vector<std::string>;

// A flag with values that mean something to the program, right and wrong ones. A flag without
// values takes none; values of "" stand alone.
struct Flag {
  std::string name;
  Arguments values = {};
};

struct Target {
  std::string name;                     // of the program, which its complaints begin with
  std::function<int(int, char**)> run;  // its main
  std::vector<Flag> flags;              // what command lines are made of
  std::function<bool(const Arguments&)> long_run;  // whether it would take its time with these
};

// fuzz_NAME [COUNT [SEED [FIRST]]]: inputs FIRST.. of those that the seed makes, 1000 from number 0
// of seed 1 otherwise. Prints a line with what became of them; the first one that breaks a rule
// ends it, with the command line and what it printed, and status 1. The rules:
//   the status is 0 or 2, since kernels are right and nothing here breaks a device
//   with 2, the last line on standard error begins with the program's name, and nothing else is
//   there what is printed is lines of text: no control characters that the input smuggled in (under
//   sanitizers) nothing is found
int fuzz_main(int argc, char** argv, const Target& target);

}  // namespace fuzz
