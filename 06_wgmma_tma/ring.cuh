#pragma once
// The ring of stages in shared memory.

#include <gpu/thread.hpp>

namespace wgmma_tma {

// A place in the ring: a stage, and the parity of the phase that its barriers are in.
template <int kStages>
struct PipelineState {
  int index = 0;
  unsigned phase = 0;

  __device__ PipelineState& operator++() {
    if (++index == kStages) index = 0, phase ^= 1;
    return *this;
  }
};

}  // namespace wgmma_tma
