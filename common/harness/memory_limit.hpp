#pragma once

#include <harness/device.hpp>

#include <gemm/problem.hpp>

namespace harness {

// Throws core::Refused with one line when A, B and C cannot fit into the device's memory, or twice
// into this machine's (operands here, results fetched back, the reference beside them).
void require_memory(const gemm::Problem& problem, const Device& device);

}  // namespace harness
