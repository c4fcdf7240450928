#pragma once
// Grids that overlap (programmatic dependent launch, PTX griddepcontrol). Here a grid starts when
// the one before it is done; who does not wait for that, in a launch that is programmatic, is found
// out by the intrinsics that access global memory.

#include <runtime/current.hpp>

namespace gpu {

// Returns when the grids that this one depends on have completed and their writes are visible.
// Every thread calls it before it touches global memory, though PTX would let a barrier tell those
// behind it; again costs nothing.
inline void wait_for_prior_grid(Site = Site::current()) {
  runtime::running_thread("wait_for_prior_grid").prior_grid_done = true;
}

// The next grid may start as soon as all blocks have said so or exited.
inline void launch_dependents(Site = Site::current()) {}

}  // namespace gpu
