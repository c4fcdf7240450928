// The host's side of the wgmma cases: data, images in shared memory, the expected accumulators (PTX
// ISA, "Register Fragments and Shared Memory Matrix Layouts" of wgmma.mma_async).

#include "wgmma.hpp"

#include "device.hpp"
#include "random.hpp"

#include <core/numeric.hpp>

#include <algorithm>
#include <bit>

namespace words {

namespace {

constexpr int kRows = 64;

std::uint16_t element_bits(bool fp16, int value) {
  const auto number = static_cast<float>(value);
  return fp16 ? core::from_float<core::fp16>(number).bits
              : core::from_float<core::bf16>(number).bits;
}

struct Matrix {
  int cols;
  std::vector<int> values;

  Matrix(int rows, int cols_, Random& random, int limit)
      : cols(cols_), values(static_cast<std::size_t>(rows * cols_)) {
    for (int& value : values) value = random.small(limit);
  }
  int operator()(int row, int col) const {
    return values[static_cast<std::size_t>(row * cols + col)];
  }
  int& operator()(int row, int col) { return values[static_cast<std::size_t>(row * cols + col)]; }
};

// Values of a fragment of 64 rows, two neighbours in a row at a time: pair p of thread t (warp w,
// lane l) holds row 16 w + l/4 + 8 (p%2), columns 2 (l%4) + 8 (p/2) and the next. Register p of A
// and of packed accumulators is one pair, registers 2p and 2p + 1 of fp32 accumulators are.
template <class Use>
void for_each_pair(int pairs, Use use) {
  for (int thread = 0; thread < kWarpgroup; ++thread) {
    const int warp = thread / 32, lane = thread % 32;
    for (int p = 0; p < pairs; ++p) {
      use(thread, p, 16 * warp + lane / 4 + 8 * (p % 2), 2 * (lane % 4) + 8 * (p / 2));
    }
  }
}

std::uint32_t two_elements(bool fp16, int low, int high) {
  return element_bits(fp16, low) | static_cast<std::uint32_t>(element_bits(fp16, high)) << 16;
}

// An operand's image on the device, and its descriptor's figures.
WgmmaOperand operand(const OperandLayout& layout, const DeviceArray<std::uint32_t>& image) {
  WgmmaOperand out{image.data(),   static_cast<int>((layout.bytes + 3) / 4),
                   layout.swizzle, layout.leading,
                   layout.stride,  {}};
  for (int step = 0; step < kMaxSteps; ++step) {
    if (16 * step < layout.k) out.advance[step] = layout.advance(step);
  }
  return out;
}

struct Test {
  WgmmaForm form;
  core::SwizzleMode swizzle_a, swizzle_b;
  Spread spread;
  int steps;
  bool accumulate;
};

Outcome run_wgmma(const std::string& name, const Test& test) {
  const WgmmaForm& form = test.form;
  Random random(name);
  const int k = 16 * test.steps;
  const Matrix a(kRows, k, random, 4), b(form.n, k, random, 4);
  Matrix d(kRows, form.n, random, 100);
  std::vector<std::uint32_t> in = accumulators(form.n, form.packed, d);
  if (!test.accumulate) std::fill(in.begin(), in.end(), 0xffffffffu);  // NaN, and never read
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < form.n; ++col) {
      int sum = 0;
      for (int i = 0; i < k; ++i) sum += a(row, i) * b(col, i);
      d(row, col) = (test.accumulate ? d(row, col) : 0) + form.sign_a * form.sign_b * sum;
    }
  }

  const OperandLayout layout_a =
      operand_layout(form.major_a, test.swizzle_a, kRows, k, test.spread);
  const OperandLayout layout_b =
      operand_layout(form.major_b, test.swizzle_b, form.n, k, test.spread);
  const auto bits_of = [&](const Matrix& matrix) {
    return [&](int row, int col) { return element_bits(form.fp16, matrix(row, col)); };
  };
  std::vector<std::uint32_t> a_registers(static_cast<std::size_t>(test.steps * kWarpgroup * 4));
  for (int step = 0; step < test.steps; ++step) {
    for_each_pair(4, [&](int thread, int p, int row, int col) {
      a_registers[(step * kWarpgroup + thread) * 4 + p] =
          two_elements(form.fp16, a(row, 16 * step + col), a(row, 16 * step + col + 1));
    });
  }

  const DeviceArray<std::uint32_t> image_a(image(layout_a, bits_of(a))),
      image_b(image(layout_b, bits_of(b))), d_registers(a_registers), d_in(in), out(in.size());
  WgmmaOperand operand_a = operand(layout_a, image_a);
  if (form.a_registers) operand_a.words = 0;
  run(form.kernel,
      {.grid = dim3(1), .block = dim3(kWarpgroup), .dynamic_smem = sizeof(WgmmaStorage)},
      WgmmaArguments{operand_a, operand(layout_b, image_b), d_registers.data(), test.steps,
                     test.accumulate, d_in.data(), out.data()});
  return {out.values(), accumulators(form.n, form.packed, d)};
}

std::string name_of(core::SwizzleMode swizzle) {
  return swizzle == core::SwizzleMode::kNone ? "none"
                                             : std::to_string(core::span_bytes(swizzle)) + "B";
}

}  // namespace

std::vector<std::uint32_t> accumulators(int n, bool packed, const std::function<int(int, int)>& d) {
  const int registers = packed ? n / 4 : n / 2;
  std::vector<std::uint32_t> out(static_cast<std::size_t>(kWarpgroup * registers));
  for_each_pair(n / 4, [&](int thread, int p, int row, int col) {
    if (packed) {
      out[thread * registers + p] = two_elements(true, d(row, col), d(row, col + 1));
    } else {
      for (int i = 0; i < 2; ++i) {
        out[thread * registers + 2 * p + i] =
            std::bit_cast<std::uint32_t>(static_cast<float>(d(row, col + i)));
      }
    }
  });
  return out;
}

std::string WgmmaForm::name() const {
  const auto letter = [](OperandMajor major) { return major == OperandMajor::kK ? "k" : "mn"; };
  std::string out = "m64n" + std::to_string(n) + "k16." + (packed ? "f16" : "f32") +
                    (fp16 ? ".fp16" : ".bf16") + (a_registers ? ".rs" : ".ss") + ".a_" +
                    letter(major_a) + ".b_" + letter(major_b);
  if (sign_a < 0) out += ".neg_a";
  if (sign_b < 0) out += ".neg_b";
  return out;
}

void add_wgmma(Cases& cases, const WgmmaForm& form, core::SwizzleMode swizzle_a,
               core::SwizzleMode swizzle_b, Spread spread, int steps, bool accumulate) {
  const Test test{form, swizzle_a, swizzle_b, spread, steps, accumulate};
  const std::string name = "wgmma/" + form.name() + "/" +
                           (form.a_registers ? "" : name_of(swizzle_a) + ".") + name_of(swizzle_b) +
                           (spread == Spread::kPacked ? "" : ".spread") +
                           ".steps=" + std::to_string(steps) + (accumulate ? ".add" : "");
  cases.push_back({name, [=] { return run_wgmma(name, test); }});
}

void add_wgmma_swizzles(Cases& cases, const WgmmaForm& form) {
  using enum core::SwizzleMode;
  for (const core::SwizzleMode swizzle_a : {kNone, k32B, k64B, k128B}) {
    if (form.a_registers && swizzle_a != kNone) continue;
    for (const core::SwizzleMode swizzle_b : {kNone, k32B, k64B, k128B}) {
      add_wgmma(cases, form, swizzle_a, swizzle_b, Spread::kPacked, 1, false);
      add_wgmma(cases, form, swizzle_a, swizzle_b, Spread::kSpread, 4, true);
    }
  }
}

}  // namespace words
