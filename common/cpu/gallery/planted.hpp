#pragma once
// An exhibit for each bug, beside the kernel that has it: in several files, since a kernel takes
// long to compile.

#include "exhibits.hpp"
#include "run.hpp"

namespace gallery {

inline constexpr Sizes kHopper = {256, 136, 640};  // 10 iterations on a ring of 4; ragged along N
inline constexpr Sizes kAmpere = {136, 72, 328};  // 11 iterations on a ring of 3; ragged everywhere

template <Bug bug, int kCluster = 1>
Exhibit hopper(const char* name, const char* planted) {
  return {name, kCluster == 1 ? "hopper" : "hopper, cluster of 2", planted, kHopper.m * kHopper.n,
          [] { return run_hopper<bug, kCluster, core::bf16>(kHopper); }};
}

template <Bug bug>
Exhibit register_a(const char* name, const char* planted) {
  return {name, "register_a", planted, 64 * 64, [] { return run_register_a<bug, core::bf16>(); }};
}

template <Bug bug>
Exhibit ampere(const char* name, const char* planted) {
  return {name, "ampere", planted, kAmpere.m * kAmpere.n,
          [] { return run_ampere<bug, core::bf16>(kAmpere); }};
}

}  // namespace gallery
