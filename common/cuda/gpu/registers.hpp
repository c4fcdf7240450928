#pragma once
// Moving registers between the warps of a running block (PTX setmaxnreg, compute capability 9.0a).
//
// A block starts with the same number of registers in every thread. The warpgroup that only issues
// copies gives most of its own back; those that hold accumulators take them. All threads of the
// warpgroup must call at the same place, with the same count, and synchronise before the next such
// call; otherwise behaviour is undefined. The kernel needs __launch_bounds__, or the compiler
// ignores the instruction, with a warning.

namespace gpu {

// PTX setmaxnreg.inc.sync.aligned.u32: kCount registers per thread from here on, no fewer than
// before. Waits until the block's pool holds enough: if others never shrink, for ever.
template <int kCount>
__device__ void grow_registers() {
  static_assert(kCount >= 24 && kCount <= 256 && kCount % 8 == 0,
                "setmaxnreg takes 24 to 256 registers, a multiple of 8");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

// PTX setmaxnreg.dec.sync.aligned.u32: the registers beyond kCount go back to the block's pool.
// kCount must not exceed what the thread has.
template <int kCount>
__device__ void shrink_registers() {
  static_assert(kCount >= 24 && kCount <= 256 && kCount % 8 == 0,
                "setmaxnreg takes 24 to 256 registers, a multiple of 8");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}

}  // namespace gpu
