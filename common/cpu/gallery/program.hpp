#pragma once
// The bug gallery: kernels with one planted bug each, and what the CPU backend says about them.

namespace gallery {

// All of the program.
int run_program(int argc, char** argv);

}  // namespace gallery
