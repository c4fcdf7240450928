#pragma once

#include <harness/device.hpp>

#include <gemm/problem.hpp>

namespace harness {

// Throws core::Refused with one line when so many sets of A, B and C cannot fit into the device's
// memory, or into this machine's: a copy of each, a matrix more on its way to the device or back,
// and what the CPU backend has as the device's.
void require_memory(const gemm::Problem& problem, const Device& device, int sets);

}  // namespace harness
