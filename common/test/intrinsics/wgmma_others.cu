// wgmma of tf32, 8-bit floats and integers, D (64 x N) (+)= A (64 x K steps) B^T, K-major: every
// pair of types at every N; A from registers, swizzles and signs at some N; all numbers of 8-bit
// floats; sums of integers that wrap around or saturate.

#include "wgmma.hpp"

#include <gpu/wgmma_others.hpp>

#include <cmath>

namespace intrinsics::wgmma_others {

using enum core::SwizzleMode;

struct Storage {
  alignas(1024) std::uint32_t a[16 * 1024 / 4];
  alignas(1024) std::uint32_t b[64 * 1024 / 4];
};

struct Arguments {
  Operand a, b;
  unsigned a_words, b_words;
  int n, steps;
  bool accumulate;  // in the first step; the later ones always do
};

// A thread's accumulators start as `start` has it, one word for all of them.
template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int kSignA, int kSignB,
          int N>
__device__ void multiply_one(const Arguments& job, const Storage& smem,
                             const std::uint32_t* a_registers, std::uint32_t start,
                             std::uint32_t* out) {
  D d[std::same_as<D, std::uint32_t> ? N / 4 : N / 2];
  for (D& each : d) each = std::bit_cast<D>(start);
  const auto multiply = [&](const auto& a, core::MatrixDescriptor b, bool accumulate) {
    if constexpr (kSaturate) {
      gpu::wgmma_satfinite<A, B>(d, a, b, accumulate);
    } else {
      gpu::wgmma<A, B, kSignA, kSignB>(d, a, b, accumulate);
    }
  };
  for (int step = 0; step < job.steps; ++step) {
    const core::MatrixDescriptor b = job.b.descriptor(smem.b).plus(job.b.advance[step]);
    if constexpr (kFromRegisters) {
      std::uint32_t a[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = a_registers[(step * kWarpgroup + static_cast<int>(threadIdx.x)) * 4 + i];
      }
      gpu::wgmma_fence();
      multiply(a, b, step > 0 || job.accumulate);
    } else {
      gpu::wgmma_fence();
      multiply(job.a.descriptor(smem.a).plus(job.a.advance[step]), b, step > 0 || job.accumulate);
    }
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
  }
  put(out, d);
}

// One kernel for all widths, of which job.n is chosen.
template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int kSignA, int kSignB,
          int... N>
__global__ void __launch_bounds__(kWarpgroup)
    multiply(Arguments job, const std::uint32_t* image_a, const std::uint32_t* image_b,
             const std::uint32_t* a_registers, const std::uint32_t* start, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  copy(smem.a, image_a, job.a_words);
  copy(smem.b, image_b, job.b_words);
  gpu::fence_proxy_async();
  __syncthreads();
  const std::uint32_t first = start[threadIdx.x];
  ((job.n == N ? multiply_one<A, B, D, kSaturate, kFromRegisters, kSignA, kSignB, N>(
                     job, smem, a_registers, first, out)
               : void()),
   ...);
}

template <class T>
constexpr Type type_of() {
  return std::same_as<T, core::tf32>   ? kTf32
         : std::same_as<T, core::e4m3> ? kE4m3
         : std::same_as<T, core::e5m2> ? kE5m2
         : std::same_as<T, core::s8>   ? kS8
                                       : kU8;
}

// What a kernel is an instance of.
struct Form {
  using Words = const std::uint32_t*;
  void (*kernel)(Arguments, Words, Words, Words, Words, std::uint32_t*);
  Type a, b;
  std::string d;  // "f32", "f16", "s32"
  bool saturates, a_registers;
  int sign_a, sign_b;

  int largest(const Type& type) const {  // of the elements, for sums to be exact
    return d == "s32" ? (type.name == kS8.name ? 127 : 255) : type.name == kTf32.name ? 100 : 4;
  }
  std::string name(int n) const {
    return intrinsics::name("m64n", n, "k", a.k_step(), ".", d, ".", a.name, ".", b.name,
                            saturates ? ".satfinite" : "", a_registers ? ".rs" : ".ss",
                            sign_a < 0 ? ".neg_a" : "", sign_b < 0 ? ".neg_b" : "");
  }
};

template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int kSignA, int kSignB,
          int... N>
Form form() {
  return {multiply<A, B, D, kSaturate, kFromRegisters, kSignA, kSignB, N...>,
          type_of<A>(),
          type_of<B>(),
          std::same_as<D, float>          ? "f32"
          : std::same_as<D, std::int32_t> ? "s32"
                                          : "f16",
          kSaturate,
          kFromRegisters,
          kSignA,
          kSignB};
}

// How a form is tried. kEdge: sums of integers beyond the largest and smallest number, whatever the
// order of additions, since all that is added to one start has its sign. kAllOfA, kAllOfB: every
// finite 8-bit number but 0, times 1.
enum class Inputs { kSmall, kEdge, kAllOfA, kAllOfB };
struct Setting {
  int n;
  core::SwizzleMode swizzle_a, swizzle_b;
  bool spread;  // operand_layout()
  int steps;
  bool accumulate;
  Inputs inputs = Inputs::kSmall;
};

// A number of 8 bits, by its code.
double decoded(const Type& type, int code) {
  const int fraction_bits = 7 - type.exponent_bits, exponent = (code & 0x7f) >> fraction_bits;
  const int bias = (1 << (type.exponent_bits - 1)) - 1, one = 1 << fraction_bits;
  const int significand = code % one + (exponent > 0 ? one : 0);
  const double magnitude = std::ldexp(significand, std::max(exponent, 1) - bias - fraction_bits);
  return code < 0x80 ? magnitude : -magnitude;
}

Outcome run_form(Random& random, const Form& form, const Setting& s) {
  const int n = s.n, k = form.a.k_step() * s.steps;
  const bool edge = s.inputs == Inputs::kEdge;
  const bool all_of_a = s.inputs == Inputs::kAllOfA, all = all_of_a || s.inputs == Inputs::kAllOfB;
  const auto elements = [&](int rows, const Type& type, int rows_in_sign, bool codes) {
    Elements out{random.smalls(static_cast<std::size_t>(rows * k), form.largest(type)), k, type};
    if (codes) out.type = kU8;
    for (int i = 0; i < rows * k; ++i) {
      int& value = out.values[i];
      const bool negative = edge ? i / k / rows_in_sign % 2 != 0 : value < 0;
      value = std::abs(value) * (negative && type.name != kU8.name ? -1 : 1);
      if (all) value = i / k % k == i % k ? 1 : 0;
      const int finite = type.name == kE4m3.name ? 0x7e : 0x7b;
      if (codes) value = (1 + i % finite) | (i / finite % 2 << 7);
    }
    return out;
  };
  const Elements a = elements(64, form.a, 1, all_of_a),
                 b = elements(n, form.b, 2, all && !all_of_a);

  Words start(kWarpgroup, ~0u);  // NaN, and never read
  std::vector<std::int64_t> starts(kWarpgroup);
  for (int thread = 0; s.accumulate && thread < kWarpgroup; ++thread) {
    const bool negative = a.values[thread % 32 / 4 * k] * b.values[thread % 4 * 2 * k] < 0;
    const int number = edge ? INT32_MAX - random.below(4'000'000) : random.small(100);
    starts[thread] = edge && negative ? -number : number;
    const auto bits = kFp16.encode(number), single = std::bit_cast<std::uint32_t>(float(number));
    start[thread] = form.d == "f32"   ? single
                    : form.d == "f16" ? bits | bits << 16
                                      : static_cast<std::uint32_t>(starts[thread]);
  }
  const std::vector<int> products = product(a, b);
  std::vector<int> d(products.size());
  Words expected;
  for (int i = 0; i < 64 * n; ++i) {
    const int row = i / n, col = i % n, thread = row / 16 * 32 + row % 8 * 4 + col % 8 / 2;
    const std::int64_t sum = starts[thread] + form.sign_a * form.sign_b * products[i];
    d[i] = static_cast<int>(form.saturates ? std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX)
                                           : sum);
  }
  for_each_pair(n / 4, [&](int row, int col) {
    for (int i = row * n + col; i < row * n + col + 2 && form.d != "f16"; ++i) {
      const float number = all ? static_cast<float>(decoded(all_of_a ? form.a : form.b, d[i]))
                               : static_cast<float>(d[i]);
      expected.push_back(form.d == "s32" ? static_cast<std::uint32_t>(d[i])
                                         : std::bit_cast<std::uint32_t>(number));
    }
  });
  if (form.d == "f16") expected = accumulators(n, true, d);

  Words a_registers;
  for (int step = 0; step < s.steps; ++step) {
    add_a_registers(a, form.a.k_step() * step, a_registers);
  }
  const OperandLayout layout_a = operand_layout(Major::kK, s.swizzle_a, 64, k, s.spread, form.a);
  const OperandLayout layout_b = operand_layout(Major::kK, s.swizzle_b, n, k, s.spread, form.b);
  const Words image_a = image(layout_a, a), image_b = image(layout_b, b);
  const Arguments job{layout_a.operand(),
                      layout_b.operand(),
                      static_cast<unsigned>(image_a.size()),
                      static_cast<unsigned>(image_b.size()),
                      n,
                      s.steps,
                      s.accumulate};
  return check(form.kernel, grid(1, kWarpgroup, sizeof(Storage)), expected, job, image_a, image_b,
               a_registers, start);
}

void add_case(Cases& cases, const Form& form, const Setting& s) {
  constexpr const char* kInputs[] = {"", ".edge", ".all_of_a", ".all_of_b"};
  add(cases,
      name("wgmma.others/", form.name(s.n), "/",
           form.a_registers ? "" : swizzle_name(s.swizzle_a) + ".", swizzle_name(s.swizzle_b),
           s.spread ? ".spread" : "", ".steps=", s.steps, s.accumulate ? ".add" : "",
           kInputs[static_cast<int>(s.inputs)]),
      run_form, form, s);
}

// At its widths with the 128-byte swizzle, as TMA leaves operands; at one width with all swizzles,
// with signs, and with inputs of every kind.
template <class A, class B, class D, bool kSaturate, bool kFromRegisters, int... N>
void add_form(Cases& cases, std::integer_sequence<int, N...>) {
  constexpr bool kFloats = !core::Int8<A>;
  const Form all = form<A, B, D, kSaturate, kFromRegisters, 1, 1, N...>();
  for (const int n : {N...}) {
    add_case(cases, all, {n, k128B, k128B, false, 1, false});
    add_case(cases, all, {n, k128B, k128B, false, 4, true});
  }
  for (const core::SwizzleMode swizzle_a : {kNone, k32B, k64B, k128B}) {
    if (kFromRegisters && swizzle_a != kNone) continue;
    for (const core::SwizzleMode swizzle_b : {kNone, k32B, k64B, k128B}) {
      add_case(cases, all, {32, swizzle_a, swizzle_b, true, 4, true});
    }
  }
  if constexpr (kFloats) {
    add_case(cases, form<A, B, D, false, kFromRegisters, -1, 1, 32>(),
             {32, k128B, k128B, false, 4, true});
    add_case(cases, form<A, B, D, false, kFromRegisters, 1, -1, 32>(),
             {32, k128B, k128B, false, 4, true});
  } else {
    add_case(cases, all, {32, k128B, k128B, false, 4, true, Inputs::kEdge});
  }
  if constexpr (core::Float8<A> && std::same_as<D, float>) {
    add_case(cases, all, {32, k128B, k128B, false, 1, false, Inputs::kAllOfA});
    add_case(cases, all, {32, k128B, k128B, false, 1, false, Inputs::kAllOfB});
  }
}

template <class A, class B, class D>
void add_type(Cases& cases) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    add_form<A, B, D, false, false>(
        cases,
        std::integer_sequence<int, (core::Int8<A> && I >= 3 ? 16 * I - 16 : 8 * I + 8)...>());
  }
  (std::make_integer_sequence < int, core::Int8<A> ? 18 : 32 > ());
  using Some = std::integer_sequence<int, 8, 24, 32, 112, 256>;
  add_form<A, B, D, false, true>(cases, Some());
  if constexpr (core::Int8<A>) {
    add_form<A, B, D, true, false>(cases, Some());
    add_form<A, B, D, true, true>(cases, Some());
  }
}
template <class A, class B>
void add_float8(Cases& cases) {
  add_type<A, B, float>(cases);
  add_type<A, B, std::uint32_t>(cases);
}
const Register kCases([](Cases& cases) {
  using core::e4m3, core::e5m2, core::s8, core::u8;
  add_type<core::tf32, core::tf32, float>(cases);
  add_float8<e4m3, e4m3>(cases);
  add_float8<e4m3, e5m2>(cases);
  add_float8<e5m2, e4m3>(cases);
  add_float8<e5m2, e5m2>(cases);
  add_type<s8, s8, std::int32_t>(cases);
  add_type<s8, u8, std::int32_t>(cases);
  add_type<u8, s8, std::int32_t>(cases);
  add_type<u8, u8, std::int32_t>(cases);
});

}  // namespace intrinsics::wgmma_others
