#pragma once
// One experiment of the lab: a product D = A B^T of 64 x N x K, and whether it came out right.

#include "arguments.hpp"
#include "operand.hpp"

#include <core/tensor_map_shape.hpp>
#include <gemm/problem.hpp>

#include <functional>
#include <string>
#include <vector>

namespace wgmma_lab {

// How operands get to where wgmma reads them.
enum class Way {
  kStored,     // tiles written element by element; A from registers where the case says so
  kTma,        // tiles brought by TMA
  kRewritten,  // A from registers that are filled again for each 16 columns
};

struct Case {
  gemm::DataType type = gemm::DataType::kFp16;
  int n = 32;
  bool a_in_registers = false;
  Form a = {}, b = {};
  int k = kStepK;
  Way way = Way::kStored;
  bool half_sums = false;  // fp16 accumulators instead of fp32
  int sign_a = 1, sign_b = 1;

  Operand operand_a() const { return make_operand(a, kRowsA, k, atoms()); }
  Operand operand_b() const { return make_operand(b, n, k, atoms()); }

 private:
  Atoms atoms() const { return way == Way::kTma ? Atoms::kBoxes : Atoms::kRowsFirst; }
};

// Every source of A, major and swizzle, for N = 32 and 256, bf16 and fp16: 288 of them.
std::vector<Case> all_combinations();

// kIntegers: from -4 to 4, every sum exact, in fp16 too. kRandom: from -1 to 1.
enum class Data { kIntegers, kRandom };

struct Verdict {
  bool right = false;
  std::string why;                          // what is wrong
  core::MatrixDescriptor a = {0}, b = {0};  // as they were used
};

// Changes what a launch is told, to see what comes of it.
using Change = std::function<void(Arguments&)>;

// Throws core::DeviceError where the CPU backend names an error, or the GPU fails.
Verdict run(const Case& c, Data data, const Change& change = {});

// Both kinds of data.
Verdict run(const Case& c);

// In lab.cu. Shapes of A and B as TMA sees them; used by Way::kTma alone.
void launch(const Case& c, const Arguments& arguments, const core::TensorMapShape& shape_a,
            const core::TensorMapShape& shape_b);

}  // namespace wgmma_lab
