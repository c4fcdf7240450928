// wgmma, D (64 x N) (+)= A (64 x 16 steps) B^T: every N, both types of elements and accumulators;
// every major and swizzle of both operands, A from registers, and signs at some N (PTX ISA,
// "wgmma.mma_async").

#include "wgmma.hpp"

namespace intrinsics::wgmma {

using enum core::Major;
using enum core::SwizzleMode;

struct Storage {
  alignas(1024) std::uint32_t a[16 * 1024 / 4];
  alignas(1024) std::uint32_t b[64 * 1024 / 4];
};

// What there is beside images, registers (step, thread, 4) and accumulators (thread, register).
struct Arguments {
  Operand a, b;
  unsigned a_words, b_words;
  int steps;
  bool accumulate;  // in the first step; the later ones always do
};

// T: bf16 or fp16. D: float, or std::uint32_t for packed fp16 accumulators.
template <class T, class D, int N, Major kMajorA, Major kMajorB, bool kFromRegisters, int kSignA,
          int kSignB>
__global__ void __launch_bounds__(kWarpgroup)
    multiply(Arguments job, const std::uint32_t* image_a, const std::uint32_t* image_b,
             const std::uint32_t* a_registers, const std::uint32_t* in, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  constexpr int kRegisters = std::same_as<D, float> ? N / 2 : N / 4;
  const int thread = static_cast<int>(threadIdx.x);
  copy(smem.a, image_a, job.a_words);
  copy(smem.b, image_b, job.b_words);
  gpu::fence_proxy_async();
  __syncthreads();

  D d[kRegisters];
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    d[i] = std::bit_cast<D>(in[thread * kRegisters + i]);
  }
  const core::MatrixDescriptor b = job.b.descriptor(smem.b);
  if constexpr (kFromRegisters) {
    std::uint32_t a[kMaxSteps][4];
#pragma unroll
    for (int step = 0; step < kMaxSteps; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[step][i] = step < job.steps ? a_registers[(step * kWarpgroup + thread) * 4 + i] : 0;
      }
    }
    gpu::wgmma_fence();
#pragma unroll
    for (int step = 0; step < kMaxSteps; ++step) {
      if (step < job.steps) {
        gpu::wgmma<T, kMajorA, kMajorB, kSignA, kSignB>(d, a[step], b.plus(job.b.advance[step]),
                                                        step > 0 || job.accumulate);
      }
    }
  } else {
    const core::MatrixDescriptor a = job.a.descriptor(smem.a);
    gpu::wgmma_fence();
    for (int step = 0; step < job.steps; ++step) {
      gpu::wgmma<T, kMajorA, kMajorB, kSignA, kSignB>(
          d, a.plus(job.a.advance[step]), b.plus(job.b.advance[step]), step > 0 || job.accumulate);
    }
  }
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  put(out, d);
}

// What a kernel is an instance of.
struct Form {
  decltype(&multiply<core::bf16, float, 8, kK, kK, false, 1, 1>) kernel;
  std::string name;  // "m64n32k16.f32.bf16.ss.a_k.b_k"
  Type type;
  bool packed;
  int n;
  bool a_registers;
  Major major_a, major_b;
  int sign;
};

template <class T, class D, int N, Major kMajorA, Major kMajorB, bool kFromRegisters,
          int kSignA = 1, int kSignB = 1>
Form form() {
  constexpr bool kPacked = !std::same_as<D, float>;
  const Type type = std::same_as<T, core::fp16> ? kFp16 : kBf16;
  const auto letter = [](Major major) { return major == kK ? "k" : "mn"; };
  return {multiply<T, D, N, kMajorA, kMajorB, kFromRegisters, kSignA, kSignB>,
          name("m64n", N, "k16", kPacked ? ".f16." : ".f32.", type.name,
               kFromRegisters ? ".rs" : ".ss", ".a_", letter(kMajorA), ".b_", letter(kMajorB),
               kSignA < 0 ? ".neg_a" : "", kSignB < 0 ? ".neg_b" : ""),
          type,
          kPacked,
          N,
          kFromRegisters,
          kMajorA,
          kMajorB,
          kSignA * kSignB};
}

// How a form is tried.
struct Setting {
  core::SwizzleMode swizzle_a, swizzle_b;
  bool spread;  // operand_layout()
  int steps;
  bool accumulate;
};

Outcome run_form(Random& random, const Form& form, const Setting& setting) {
  const int k = 16 * setting.steps;
  const auto count = [](int rows, int cols) { return static_cast<std::size_t>(rows * cols); };
  const Elements a{random.smalls(count(64, k), 4), k, form.type};
  const Elements b{random.smalls(count(form.n, k), 4), k, form.type};
  std::vector<int> d = random.smalls(count(64, form.n), 100);
  Words in = accumulators(form.n, form.packed, d);
  if (!setting.accumulate) in.assign(in.size(), 0xffffffff);  // NaN, and never read
  const std::vector<int> products = product(a, b);
  for (std::size_t i = 0; i < d.size(); ++i) {
    d[i] = (setting.accumulate ? d[i] : 0) + form.sign * products[i];
  }
  Words a_registers;
  for (int step = 0; step < setting.steps; ++step) add_a_registers(a, 16 * step, a_registers);
  const OperandLayout layout_a =
      operand_layout(form.major_a, setting.swizzle_a, 64, k, setting.spread);
  const OperandLayout layout_b =
      operand_layout(form.major_b, setting.swizzle_b, form.n, k, setting.spread);
  const Words image_a = image(layout_a, a), image_b = image(layout_b, b);
  return check(form.kernel, grid(1, kWarpgroup, sizeof(Storage)),
               accumulators(form.n, form.packed, d),
               Arguments{layout_a.operand(), layout_b.operand(),
                         form.a_registers ? 0 : static_cast<unsigned>(image_a.size()),
                         static_cast<unsigned>(image_b.size()), setting.steps, setting.accumulate},
               image_a, image_b, a_registers, in);
}

void add_form(Cases& cases, const Form& form, const Setting& s) {
  add(cases,
      name("wgmma/", form.name, "/", form.a_registers ? "" : swizzle_name(s.swizzle_a) + ".",
           swizzle_name(s.swizzle_b), s.spread ? ".spread" : "", ".steps=", s.steps,
           s.accumulate ? ".add" : ""),
      run_form, form, s);
}

// For each pair of swizzles (of B alone, where A comes from registers): one instruction that
// overwrites D, and four that add to it.
void add_swizzles(Cases& cases, const Form& form) {
  for (const core::SwizzleMode swizzle_a : {kNone, k32B, k64B, k128B}) {
    if (form.a_registers && swizzle_a != kNone) continue;
    for (const core::SwizzleMode swizzle_b : {kNone, k32B, k64B, k128B}) {
      add_form(cases, form, {swizzle_a, swizzle_b, false, 1, false});
      add_form(cases, form, {swizzle_a, swizzle_b, true, 4, true});
    }
  }
}

// Both operands from shared memory in all majors, and A from registers with B in both: all six
// forms of one shape, with every swizzle.
template <class T, class D, int N>
void add_majors(Cases& cases) {
  add_swizzles(cases, form<T, D, N, kK, kK, false>());
  add_swizzles(cases, form<T, D, N, kK, kMn, false>());
  add_swizzles(cases, form<T, D, N, kMn, kK, false>());
  add_swizzles(cases, form<T, D, N, kMn, kMn, false>());
  add_swizzles(cases, form<T, D, N, kK, kK, true>());
  add_swizzles(cases, form<T, D, N, kK, kMn, true>());
}

template <class T, class D, bool kFromRegisters>
void add_signs(Cases& cases) {
  for (const Form& signs : {form<T, D, 32, kK, kK, kFromRegisters, -1, 1>(),
                            form<T, D, 32, kK, kK, kFromRegisters, 1, -1>(),
                            form<T, D, 32, kK, kK, kFromRegisters, -1, -1>()}) {
    add_form(cases, signs, {k128B, k128B, false, 1, false});
    add_form(cases, signs, {k128B, k128B, false, 4, true});
  }
}

// Operands K-major with the 128-byte swizzle, as TMA leaves them, and B N-major as well.
template <class T, class D, int N>
void add_shape(Cases& cases) {
  std::vector<Form> forms = {form<T, D, N, kK, kK, false>()};
  if constexpr (std::same_as<D, float>) forms.push_back(form<T, D, N, kK, kMn, false>());
  for (const Form& shape : forms) {
    add_form(cases, shape, {k128B, k128B, false, 1, true});
    add_form(cases, shape, {k128B, k128B, false, 4, false});
    if (!shape.packed) add_form(cases, shape, {k128B, k128B, false, 4, true});
  }
}
template <class T, class D>
void add_type(Cases& cases) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (add_shape<T, D, 8 * I + 8>(cases), ...);
  }
  (std::make_integer_sequence<int, 32>());
  add_majors<T, D, 32>(cases);
  add_majors<T, D, 256>(cases);
  add_signs<T, D, false>(cases);
  add_signs<T, D, true>(cases);
}

const Register kCases([](Cases& cases) {
  add_type<core::bf16, float>(cases);
  add_type<core::fp16, float>(cases);
  add_type<core::fp16, std::uint32_t>(cases);
});

}  // namespace intrinsics::wgmma
