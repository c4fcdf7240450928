#pragma once
// One experiment of the lab: a product D = A B^T of 64 x 32 x K in fp16, and whether it is right.

#include "operand.hpp"

#include <core/numeric.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace wgmma_lab {

using core::fp16;

inline constexpr int kThreads = 128;  // one warpgroup

// What a launch is told of an operand. The descriptor's figures are plain numbers, so that they can
// also be wrong.
struct OperandArguments {
  int start;  // of the tile, in bytes from the beginning of shared memory
  // What the descriptor says. Bytes.
  core::SwizzleMode swizzle;
  int leading, stride;
  int advance[kMostSteps];  // from the first 16 columns to each step's
  // The boxes in which TMA brings the tile, side by side along its contiguous direction.
  int boxes;
  int box_elements;  // of a box's row
  int box_bytes;
};

struct Arguments {
  OperandArguments a, b;
  int steps;                 // K / 16
  const fp16* a_values;      // (64, K) row-major, for A in registers
  const fp16* image;         // what shared memory is to hold; null: TMA brings the tiles
  int smem_bytes;            // of the launch; with TMA the last 16 are the mbarrier's
  unsigned announced_bytes;  // what the mbarrier is told that TMA brings
  float* d;                  // (64, N) column-major
};

struct Case {
  bool a_in_registers = false;  // filled again for each 16 columns
  Form a = {}, b = {};
  int k = kStepK;
  bool tma = false;                // brings the tiles; else the threads write them
  bool fp16_accumulators = false;  // instead of fp32
  int sign_a = 1, sign_b = 1;

  Operand operand_a() const { return make_operand(a, kRowsA, k, tma); }
  Operand operand_b() const { return make_operand(b, kRowsB, k, tma); }
};

struct Verdict {
  std::string why;              // what is wrong; empty when nothing is
  core::MatrixDescriptor a, b;  // as used, counted from the beginning of shared memory
};

// Multiplies integers from -4 to 4: every result is exact, in fp16 too. `change`: of what the
// launch is told, to see what comes of it. Throws core::DeviceError where the CPU backend names an
// error, or the GPU fails.
Verdict run(const Case& c, const std::function<void(Arguments&)>& change = {});

}  // namespace wgmma_lab
