#pragma once
// Overlap of one grid's end with the next one's start (programmatic dependent launch, compute
// capability 9.0), for kernels launched with LaunchShape::programmatic. Without it both intrinsics
// do nothing.

namespace gpu {

// PTX griddepcontrol.wait: waits until the grids this one depends on have finished and their writes
// are visible. Every thread calls it before it touches global memory; before it only what does not
// depend on them may be done (barriers, prefetches). Again it costs next to nothing.
__device__ inline void wait_for_prior_grid() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// PTX griddepcontrol.launch_dependents: once every block has called this or exited, the next grid
// may start where there is room. It hands over no data: the next grid's wait_for_prior_grid() does.
__device__ inline void launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

}  // namespace gpu
