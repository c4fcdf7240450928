#pragma once
// What the board can do at best, measured in the same mode as the kernels that are held against it.

#include <harness/results.hpp>
#include <harness/timing.hpp>

#include <functional>
#include <string>

namespace harness {

// Medians over `rounds` samples of kernels that do one thing as fast as the board can. A ceiling
// that this device does not have stays empty (mma.sync below compute capability 8.0, wgmma on all
// but 9.0). `progress(what)` before each.
Ceilings measure_ceilings(const TimingConfig& config, int rounds, gpu::Stream stream,
                          const std::function<void(const std::string&)>& progress);

}  // namespace harness
