#pragma once
// What the tests of asynchronous words share.

#include "support.hpp"

#include <core/numeric.hpp>
#include <core/swizzle_mode.hpp>
#include <gpu/tensor_map.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

// Calls under late, early, mix and twenty random seeds.
template <class Call>
void under_every_policy(const Call& call) {
  const KeepSettings keep;
  std::vector<std::string> policies = {"late", "early", "mix"};
  for (int seed = 0; seed < 20; ++seed) policies.push_back("random:" + std::to_string(seed));
  for (const std::string& policy : policies) {
    runtime::set_policy(policy);
    CAPTURE(policy);
    call();
  }
}

// One block of `threads`.
inline gpu::LaunchShape one_block(int threads) {
  return {.grid = dim3(1), .block = dim3(static_cast<unsigned>(threads))};
}
// One cluster of `blocks`, each of `threads`.
inline gpu::LaunchShape one_cluster(int blocks, int threads) {
  const dim3 grid(static_cast<unsigned>(blocks));
  return {.grid = grid, .block = dim3(static_cast<unsigned>(threads)), .cluster = grid};
}

// A row-major packed matrix (rows, columns) in boxes of (box_rows, box_columns).
template <class T>
gpu::TensorMap map_of(const T* base, int rows, int columns, int box_rows, int box_columns,
                      core::SwizzleMode swizzle = core::SwizzleMode::kNone) {
  return gpu::make_tensor_map(
      base, {.rank = 2,
             .size = {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)},
             .stride_bytes = {0, static_cast<std::uint64_t>(columns) * sizeof(T)},
             .box = {static_cast<std::uint32_t>(box_columns), static_cast<std::uint32_t>(box_rows)},
             .swizzle = swizzle});
}

// The line that is about to fail: kernels set it to __LINE__ + 1 on the line before.
inline int failing_line = 0;

// Runs a kernel that is right and uses cp.async, TMA with multicast, wgmma, mbarriers, named
// barriers, clusters and semaphores; checks its results.
void check_everything_works();

// The error must begin with the failing line and hold the words. The next launch must work.
inline void check_error(const std::string& error, const char* file,
                        std::initializer_list<const char*> words) {
  const std::string where = place(file, failing_line);
  CAPTURE(error);
  CHECK(error.substr(0, where.size() + 2) == where + ": ");
  for (const char* word : words) {
    CAPTURE(word);
    CHECK(contains(error, word));
  }
  check_everything_works();
}

// The same for a deadlock's report.
inline void check_deadlock(const std::string& error, std::initializer_list<std::string> words) {
  CAPTURE(error);
  CHECK(error.substr(0, 10) == "deadlock: ");
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(contains(error, word));
  }
  check_everything_works();
}
