#pragma once
// What the kernels without a bug are run on, on either backend.

#include "runners.hpp"

#include <core/numeric.hpp>

#include <string>
#include <vector>

namespace gallery {

struct CorrectRun {
  std::string name;  // "hopper, cluster of 2, fp16, 200x136x648"
  Sizes sizes;
  std::size_t (*run)(const Sizes& sizes);
};

// Hopper: 10 iterations on a ring of 4; ragged everywhere; one tile of each; fewer than the ring
// has stages; smaller than a tile.
inline constexpr Sizes kHopperSizes[] = {
    {256, 256, 640}, {200, 136, 648}, {128, 128, 64}, {128, 256, 128}, {64, 40, 72}};
// Ampere: 10 iterations on a ring of 3, and so on.
inline constexpr Sizes kAmpereSizes[] = {
    {128, 128, 320}, {136, 72, 328}, {64, 64, 32}, {64, 128, 64}, {40, 24, 40}};

inline std::vector<CorrectRun> correct_runs() {
  std::vector<CorrectRun> out;
  const auto add = [&](const std::string& kernel, const Sizes& s, auto bf16, auto fp16) {
    const std::string size =
        std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
    out.push_back({kernel + ", bf16, " + size, s, bf16});
    out.push_back({kernel + ", fp16, " + size, s, fp16});
  };
  for (const Sizes& sizes : kHopperSizes) {
    add("hopper", sizes, run_hopper<Bug::kNone, 1, core::bf16>,
        run_hopper<Bug::kNone, 1, core::fp16>);
    add("hopper, cluster of 2", sizes, run_hopper<Bug::kNone, 2, core::bf16>,
        run_hopper<Bug::kNone, 2, core::fp16>);
  }
  for (const Sizes& sizes : kAmpereSizes) {
    add("ampere", sizes, run_ampere<Bug::kNone, core::bf16>, run_ampere<Bug::kNone, core::fp16>);
  }
  add(
      "register_a", {64, 64, 64},
      [](const Sizes&) { return run_register_a<Bug::kNone, core::bf16>(); },
      [](const Sizes&) { return run_register_a<Bug::kNone, core::fp16>(); });
  return out;
}

}  // namespace gallery
