#pragma once
// The gallery's kernels from the outside: each runs once on small integers and says how many
// results are wrong. Throws core::DeviceError when the CPU backend names a bug. Defined in run.hpp,
// which only the files that instantiate a kernel include: they take long to compile.

#include "bugs.hpp"

#include <cstddef>
#include <vector>

namespace gallery {

struct Sizes {
  int m, n, k;
};

// C (M, N); k and n multiples of 8, as TMA's strides demand. kCluster: 1 or 2 blocks.
template <Bug bug, int kCluster, class T>
std::size_t run_hopper(const Sizes& sizes);

// C (M, N); k a multiple of 8.
template <Bug bug, class T>
std::size_t run_ampere(const Sizes& sizes);

// D (64, 64), K = 64.
template <Bug bug, class T>
std::size_t run_register_a();

// Milliseconds of each of so many launches of the hopper kernel without a bug, M = N = K = size,
// bf16, after one more that does not count.
std::vector<double> time_hopper(int size, int launches);

}  // namespace gallery
