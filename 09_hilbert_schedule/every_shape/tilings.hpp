#pragma once
// The tilings that are built, by family_*.cu, and what every one of them leaves to others: so many
// kernels would take minutes to compile in one file.

#include "any_plan.hpp"
#include "launch_policy.hpp"
#include "tiling.hpp"

#include <harness/chapter.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace every_shape {

// Valid problems whose operands TMA can read.
using Prepare = AnyPlan(const gemm::Problem& problem, const LaunchPolicy& policy);

// Operands that are not both contiguous along K: by the fastest of the tilings for their layout.
Prepare prepare_other_layout;
template <class T, core::Major kMajorA, core::Major kMajorB>
Prepare prepare_majors;
// An epilogue that reads C: wide tiles or small ones.
Prepare prepare_alpha_beta;
// C in fp32, with any epilogue: wide tiles, stored at once.
Prepare prepare_fp32_c;
// A C that does not take wide stores: wide tiles or small ones, rows of B as they are.
Prepare prepare_narrow_stores;

// Adds what the harness wants of a plan: a workspace of its own, for one launch at a time.
inline harness::Plan with_workspace(AnyPlan plan) {
  const std::size_t bytes = plan.workspace_bytes();
  if (bytes == 0) return plan;
  const std::shared_ptr<void> memory(gpu::allocate(bytes), gpu::release);
  gpu::fill_bytes(memory.get(), 0, bytes);
  gpu::synchronize();  // whatever stream the kernel runs in
  return [plan, memory](gpu::Stream stream) { plan.run(stream, memory.get()); };
}

// A member of the family.
struct BuiltTiling {
  Tiling tiling;
  Prepare* prepare;
  harness::Prepare prepare_as_usual;  // with every policy that pays
};

// The family, as this program has it (cuda_only.cu or cpu_only.cu).
const std::vector<BuiltTiling>& tilings();

// Which of the family should take least time.
const BuiltTiling& choose(const gemm::Problem& problem);

// The wide tiling's tricks that need kernels of their own.
std::vector<harness::Variant> more_ablations();

}  // namespace every_shape
