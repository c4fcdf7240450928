#pragma once
// What a launch of the lab's kernels is told.

#include <core/matrix_descriptor.hpp>
#include <core/swizzle_mode.hpp>

#include <cstdint>

namespace wgmma_lab {

inline constexpr int kRowsA = 64;     // M of every wgmma
inline constexpr int kStepK = 16;     // K of every wgmma on 16-bit elements
inline constexpr int kMostSteps = 4;  // of K in one tile
inline constexpr int kThreads = 128;  // one warpgroup

struct OperandArguments {
  const std::uint16_t* values;     // (rows, k) row-major in global memory, bits of bf16 or fp16
  core::SwizzleMode tile_swizzle;  // of the tile as it is written
  int start;                       // of the tile, in bytes from the beginning of shared memory
  // What the descriptor says. Bytes.
  core::SwizzleMode swizzle;
  int leading;
  int stride;
  int advance[kMostSteps];  // from the first 16 columns to each step's
  // The boxes in which TMA brings the tile, side by side along its contiguous direction.
  int boxes;
  int box_elements;  // of a box's row
  int box_bytes;
};

struct Arguments {
  OperandArguments a, b;
  int smem_bytes;                       // of the launch
  int barrier_start;                    // of the mbarrier, in bytes
  unsigned announced_bytes;             // what the mbarrier is told that TMA brings
  float* d;                             // (64, N) column-major
  core::MatrixDescriptor* descriptors;  // of a and b, as they were used
};

}  // namespace wgmma_lab
