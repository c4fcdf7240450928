#pragma once
// What the board can do at best, measured in the same mode as the kernels that are held against it.

#include <harness/results.hpp>
#include <harness/timing.hpp>

#include <functional>
#include <string>

namespace harness {

// Medians over `rounds` samples of each probe. A ceiling without a probe stays empty (mma.sync and
// wgmma have theirs with the chapters that use them). `progress(what)` before each probe.
Ceilings measure_ceilings(const TimingConfig& config, int rounds, gpu::Stream stream,
                          BoardSampler& board,
                          const std::function<void(const std::string&)>& progress);

}  // namespace harness
