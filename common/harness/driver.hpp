#pragma once

#include <string>

namespace harness {

// A whole program, inside of core::run_main(): reads the command line, does what it asks for with
// the chapters that are linked in, prints, and returns the exit status (core::ExitStatus).
int run(int argc, const char* const* argv, const std::string& program);

}  // namespace harness
