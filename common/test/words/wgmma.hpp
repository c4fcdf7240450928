#pragma once
// The wgmma cases, D (64 x N) (+)= A (64 x 16 steps) B^T: what one of them is, and the host's side
// of it. The kernel is in wgmma_kernel.hpp.

#include "case.hpp"
#include "wgmma_image.hpp"

#include <functional>
#include <string>
#include <vector>

namespace words {

constexpr int kMaxSteps = 4;
constexpr int kWarpgroup = 128;

struct WgmmaOperand {
  const std::uint32_t* image;  // shared memory as it should be, from a multiple of 1024 bytes on
  int words;
  core::SwizzleMode swizzle;
  int leading, stride;
  int advance[kMaxSteps];  // bytes from the first step's descriptor
};

struct WgmmaArguments {
  WgmmaOperand a, b;
  const std::uint32_t* a_registers;  // (step, thread, 4), where A comes from registers
  int steps;
  bool accumulate;          // in the first step; the later ones always do
  const std::uint32_t* in;  // D: (thread, register)
  std::uint32_t* out;
};

struct WgmmaStorage {
  alignas(1024) std::uint32_t a[16 * 1024 / 4];
  alignas(1024) std::uint32_t b[64 * 1024 / 4];
};

// What a kernel is an instance of.
struct WgmmaForm {
  void (*kernel)(WgmmaArguments);
  bool fp16;    // elements; bf16 otherwise
  bool packed;  // fp16 accumulators, two to a register; fp32 otherwise
  int n;
  bool a_registers;
  OperandMajor major_a, major_b;
  int sign_a, sign_b;

  std::string name() const;  // "m64n32k16.f32.bf16.ss.kk"
  int registers() const { return packed ? n / 4 : n / 2; }
};

// D (64 x n) as the registers of a warpgroup hold it: (thread, register).
std::vector<std::uint32_t> accumulators(int n, bool packed, const std::function<int(int, int)>& d);

// "wgmma/FORM/..."
void add_wgmma(Cases& cases, const WgmmaForm& form, core::SwizzleMode swizzle_a,
               core::SwizzleMode swizzle_b, Spread spread, int steps, bool accumulate);
// For each pair of swizzles (of B alone, where A comes from registers): one instruction that
// overwrites D, and four that add to it.
void add_wgmma_swizzles(Cases& cases, const WgmmaForm& form);

}  // namespace words
