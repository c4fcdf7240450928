#pragma once

#include <string>

namespace harness {

// A whole program, inside of core::run_main(): reads the command line, does what it asks for with
// the chapters that are linked in and with the program `beside` in the same folder (none where it
// is empty), prints, and returns the exit status (core::ExitStatus).
int run(int argc, const char* const* argv, const std::string& program, const std::string& beside);

}  // namespace harness
