#pragma once

namespace harness {

// A whole program: reads the command line, does what it asks for with the chapters that are linked
// in, prints, and returns the exit status (core::ExitStatus). Throws nothing.
int run_program(int argc, const char* const* argv);

}  // namespace harness
