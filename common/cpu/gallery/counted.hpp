#pragma once
// The kernels without a bug, each on one size of full tiles: what the counters of the CPU backend
// and those of the GPU are compared on.

#include "runners.hpp"

#include <core/numeric.hpp>

#include <string>
#include <vector>

namespace gallery {

struct CountedRun {
  std::string name;  // the variant's in result files
  std::string summary;
  Sizes sizes;
  std::size_t (*run)(const Sizes& sizes);  // one launch; how many results are wrong
};

inline std::vector<CountedRun> counted_runs() {
  const Sizes sizes{256, 256, 640};
  return {
      {"hopper", "TMA, wgmma, stmatrix", sizes, run_hopper<Bug::kNone, 1, core::bf16>},
      {"hopper_cluster_2", "the same; two blocks share B by multicast", sizes,
       run_hopper<Bug::kNone, 2, core::bf16>},
      {"ampere", "cp.async, ldmatrix, mma.sync", sizes, run_ampere<Bug::kNone, core::bf16>},
      {"register_a", "TMA, wgmma with A in registers", Sizes{64, 64, 64},
       [](const Sizes&) { return run_register_a<Bug::kNone, core::bf16>(); }},
  };
}

}  // namespace gallery
