#pragma once
// The tilings that are built, by family_*.cu, and what every one of them leaves to others: so many
// kernels would take minutes to compile in one file.

#include "launch_policy.hpp"
#include "tiling.hpp"

#include <harness/chapter.hpp>

#include <vector>

namespace every_shape {

// Valid problems whose operands TMA can read.
using Prepare = harness::Plan(const gemm::Problem& problem, const LaunchPolicy& policy);

// Operands that are not both contiguous along K: wide tiles.
Prepare prepare_nn, prepare_nt, prepare_tt;
// Another EpilogueOp than identity: wide tiles or small ones, rows of B permuted so that neighbours
// in C, and what the op reads for them, belong to one thread.
Prepare prepare_alpha_beta, prepare_scale, prepare_bias_relu;
// C in fp32, with any EpilogueOp: wide tiles, stored at once.
Prepare prepare_fp32_c;
// A C that does not take wide stores: wide tiles or small ones, rows of B as they are.
Prepare prepare_narrow_stores;

// A member of the family.
struct BuiltTiling {
  Tiling tiling;
  Prepare* prepare;
  harness::Prepare prepare_as_usual;  // with every policy that pays
};

// The family, as this program has it: cuda_only.cu or cpu_only.cu.
const std::vector<BuiltTiling>& tilings();

// Which of them should take least time, by the model of choose.hpp.
const BuiltTiling& choose(const gemm::Problem& problem);

// The wide tiling's tricks that need kernels of their own.
std::vector<harness::Variant> more_ablations();

}  // namespace every_shape
