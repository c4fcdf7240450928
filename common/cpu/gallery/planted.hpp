#pragma once
// An exhibit for each bug, beside the kernel that has it: in several files, since a kernel takes
// long to compile.

#include "exhibits.hpp"
#include "run.hpp"

namespace gallery {

inline constexpr Sizes kHopper = {256, 136, 640};  // 10 iterations on a ring of 4; ragged along N
inline constexpr Sizes kAmpere = {136, 72, 328};  // 11 iterations on a ring of 3; ragged everywhere

constexpr std::size_t results_of(const Sizes& sizes) {
  return static_cast<std::size_t>(sizes.m) * sizes.n;
}

template <Bug bug>
Exhibit hopper(const char* name, const char* planted) {
  return {bug, name, "hopper", planted, results_of(kHopper), [] {
            return run_hopper<bug, 1, core::bf16>(kHopper);
          }};
}

template <Bug bug>
Exhibit cluster(const char* name, const char* planted) {
  return {bug, name, "hopper, cluster of 2", planted, results_of(kHopper), [] {
            return run_hopper<bug, 2, core::bf16>(kHopper);
          }};
}

template <Bug bug>
Exhibit register_a(const char* name, const char* planted) {
  return {bug,     name,    "register_a",
          planted, 64 * 64, [] { return run_register_a<bug, core::bf16>(); }};
}

template <Bug bug>
Exhibit ampere(const char* name, const char* planted) {
  return {bug, name, "ampere", planted, results_of(kAmpere), [] {
            return run_ampere<bug, core::bf16>(kAmpere);
          }};
}

}  // namespace gallery
