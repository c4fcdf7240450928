#pragma once
// Grids that overlap (programmatic dependent launch, PTX griddepcontrol). Here a grid starts when
// the one before it is done, so there is nothing to wait for.

#include <runtime/builtins.hpp>

namespace gpu {

// Returns when the grids that this one depends on have completed and their writes are visible.
inline void wait_for_prior_grid(runtime::Site = runtime::Site::current()) {}

// The next grid may start as soon as all blocks have said so or exited.
inline void launch_dependents(runtime::Site = runtime::Site::current()) {}

}  // namespace gpu
