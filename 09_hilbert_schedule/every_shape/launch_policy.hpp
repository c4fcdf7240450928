#pragma once
// How a problem is gone about, as far as the host decides it: the order of tiles, how many
// persistent blocks, what the L2 is asked for.

#include "schedule.cuh"

#include <gemm/operands.hpp>
#include <gemm/problem.hpp>
#include <gpu/host.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace every_shape {

// What a launch may do in another way than usual; each line is an ablation.
struct LaunchPolicy {
  Rasterization rasterization = Rasterization::kSnake;
  int group_rows = 0;         // tiles of C in a group, along M; 0: as suits the problem
  bool reverse_k = true;      // every second tile from the end of K
  bool lock_step = true;      // producers of large tiles wait for each other
  bool evict_c_first = true;  // ask the L2 not to keep C
  bool whole_waves = true;    // no more blocks than whole waves of tiles need
  bool trim_boxes = true;     // load no rows that A or B does not have
  bool promote = true;        // L2 promotion to 256 bytes of an operand that one cluster alone
                              // loads, where it pays
  bool gpc_local = true;      // one wave of tiles so that the SMs of a GPC share rows
  bool programmatic = false;  // programmatic dependent launch: may start while the kernel before it
                              // finishes
};

// The problem C^T = B A^T, but for C, which stays where it is.
inline gemm::Problem transposed(gemm::Problem problem) {
  std::swap(problem.m, problem.n);
  std::swap(problem.a, problem.b);
  std::swap(problem.lda, problem.ldb);
  std::swap(problem.a_major, problem.b_major);
  return problem;
}

// Whether C takes stores of 128 bits, by TMA or by threads that have permuted rows of B: both want
// addresses and distances of rows in multiples of 16 bytes, and N in multiples of 8; TMA wants
// distances of less than 2^40.
inline bool can_store_wide(const gemm::Problem& problem) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(problem.c) % 16 == 0;
  const bool distance = problem.ldc % 8 == 0 && problem.ldc < std::int64_t{1} << 39;
  return aligned && distance && problem.n % 8 == 0;
}

// Whether an operand that one cluster alone loads comes faster 256 bytes at a time. On an H100
// (3.35 TB/s) it does; on an H200 (4.8 TB/s) a large one takes 2% longer where rows are few
// (notebook.md#promotion).
inline bool promotion_pays(std::int64_t bytes, double dram_bytes_per_second) {
  return bytes < 48'000'000 || dram_bytes_per_second < 4e12;
}

// Bytes that the DRAM brings while a kernel, ready itself, waits for the one before to end.
inline constexpr std::int64_t kPrefetchBytes = 1 << 20;

}  // namespace every_shape
