#pragma once
// C = epilogue(x w^T), launched: what linear.cu calls, and sources with the kernels define.

#include <gemm/problem.hpp>
#include <gpu/host.hpp>

namespace every_shape {

// Each with the EpilogueOp of its name; problem.epilogue.bias is what the first two add. Throw
// core::Refused for a problem that the kernel does not take.
using Launch = void(const gemm::Problem& problem, gpu::Stream stream);
Launch launch_bias, launch_bias_relu, launch_relu, launch_identity;

}  // namespace every_shape
