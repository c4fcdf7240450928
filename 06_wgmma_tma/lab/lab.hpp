#pragma once
// One experiment of the lab: a product D = A B^T of 64 x 32 x K in fp16, with operands of any form,
// one wgmma for each 16 columns.

#include <core/modes.hpp>
#include <core/numeric.hpp>
#include <layout/layout.hpp>

#include <functional>
#include <string>
#include <vector>

namespace wgmma_lab {

using core::fp16;
using enum core::SwizzleMode;

inline constexpr int kRowsA = 64;     // M of every wgmma
inline constexpr int kRowsB = 32;     // N of the lab's
inline constexpr int kStepK = 16;     // K of every wgmma on 16-bit elements
inline constexpr int kMostSteps = 4;  // of K in one tile
inline constexpr int kThreads = 128;  // one warpgroup

struct Form {
  layout::Major major = layout::Major::kK;
  core::SwizzleMode swizzle = kNone;

  bool k_major() const { return major == layout::Major::kK; }
  int span() const { return core::span_bytes(swizzle); }  // a row of the swizzle, in bytes
  std::string name(char rows) const;                      // "K-major, 128-byte swizzle"
};

// An operand in shared memory, from byte `start` on.
struct Operand {
  Form form;
  int rows, k, start;
  layout::Swizzled tile;  // (rows, k), rounded up to whole atoms -> element
  layout::WgmmaStrides strides;

  int bytes() const { return static_cast<int>(tile.size()) * 2; }
  // From the first 16 columns to step's.
  int advance(int step) const { return static_cast<int>(tile.layout(0, step * kStepK)) * 2; }
  // Of an element, from the tile's start.
  int byte(int row, int col) const { return static_cast<int>(tile(row, col)) * 2; }
  core::MatrixDescriptorFields descriptor() const;
  // The first element of the first 16 columns that a descriptor of this tile leads past, in a
  // sentence; empty if it finds them all.
  std::string misread(const core::MatrixDescriptorFields& fields) const;
};

struct Case {
  bool a_in_registers = false;  // filled again for each 16 columns
  Form form_a = {}, form_b = {};
  int k = kStepK;
  bool tma = false;                // brings the tiles; else the threads write them
  bool fp16_accumulators = false;  // instead of fp32
  int sign_a = 1, sign_b = 1;

  Operand a() const;
  Operand b() const;
};

// What a launch is told of an operand. The descriptor's figures are plain numbers, so that they can
// also be wrong.
struct OperandArguments {
  core::MatrixDescriptorFields descriptor;
  int advance[kMostSteps];  // bytes from the first 16 columns to each step's
  // The boxes in which TMA brings the tile, side by side along its contiguous direction.
  int boxes, box_elements, box_bytes;  // elements: of a box's row
};

struct Arguments {
  OperandArguments a, b;
  int steps;                 // K / 16
  const fp16* a_values;      // (64, K) row-major, for A in registers
  const fp16* image;         // what shared memory is to hold; null: TMA brings the tiles
  int smem_bytes;            // of the launch; with TMA the last 16 are the mbarrier's
  unsigned announced_bytes;  // what the mbarrier is told that TMA brings
  float* d;                  // (64, 32) column-major
};
using Change = std::function<void(Arguments&)>;

// Multiplies integers from -4 to 4, where every result is exact, in fp16 too. Returns what is wrong
// with D; empty when nothing is. `change`: of what the launch is told, to see what comes of it.
// Throws core::DeviceError where the CPU backend names an error, or the GPU fails.
std::string run(const Case& c, const Change& change = {});

// Section 0: the four of the notes, one wgmma each. 1: K = 64, A and B alike, how descriptors
// advance. 2: the same by TMA. 3: fp16 accumulators, signs, registers of A rewritten.
struct Example {
  int section;
  std::string title;
  Case c;
};
std::vector<Example> examples();

struct Mistake {
  std::string name, planted;
  Case c;
  Change change;
};
std::vector<Mistake> mistakes();
std::string consequence(const Mistake& mistake);  // the error, or what is wrong with the results

// LBO, SBO and steps along k of every form: README.md's table.
std::string offsets_table();
// Bits of a sum that fp32 accumulators keep, by type of the operands: another one.
std::string accumulators_table();

}  // namespace wgmma_lab
