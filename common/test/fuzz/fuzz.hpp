#pragma once
// Throws command lines at a program's main function, inside this process: thousands in a second, so
// that sanitizers can look at all of them.

#include <functional>
#include <string>
#include <vector>

namespace fuzz {

using Arguments = std::vector<std::string>;

struct Target {
  std::string name;                     // of the program, which its complaints begin with
  std::function<int(int, char**)> run;  // its main
  Arguments words;  // that mean something to it, beside its flags, which --help names
  std::function<bool(const Arguments&)> long_run;  // whether it would take its time with these
};

// fuzz_NAME [COUNT [SEED]]: prints a line with what became of the inputs; the first one that breaks
// a rule ends it, with the command line and what it printed, and status 1. The rules: the status is
// 0 or 2, since kernels are right and nothing here breaks a device; lines on standard error begin
// with the program's name, and there is one with status 2; what is printed has no control
// characters; files are whole; sanitizers find nothing.
int fuzz_main(int argc, char** argv, const Target& target);

}  // namespace fuzz
