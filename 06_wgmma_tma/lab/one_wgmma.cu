// One experiment: operands, shared memory as it is to be, the launch, and what is wrong with D.

#include "one_wgmma.cuh"

#include <gpu/host.hpp>
#include <gpu/launch.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

namespace wgmma_lab {

namespace {

using Kernel = void (*)(gpu::TensorMap, gpu::TensorMap, Arguments);

Kernel kernel_of(const Case& c) {
  using enum Major;
  const bool a_k = c.form_a.k_major(), b_k = c.form_b.k_major();
  if (c.a_in_registers) {
    return b_k ? lab_kernel<float, true, kK, kK> : lab_kernel<float, true, kK, kMn>;
  }
  if (!a_k) return b_k ? lab_kernel<float, false, kMn, kK> : lab_kernel<float, false, kMn, kMn>;
  if (!b_k) return lab_kernel<float, false, kK, kMn>;
  if (c.fp16_accumulators) return lab_kernel<std::uint32_t, false, kK, kK>;
  if (c.sign_a > 0) {
    return c.sign_b > 0 ? lab_kernel<float, false, kK, kK>
                        : lab_kernel<float, false, kK, kK, 1, -1>;
  }
  return c.sign_b > 0 ? lab_kernel<float, false, kK, kK, -1, 1>
                      : lab_kernel<float, false, kK, kK, -1, -1>;
}

// Integers (rows, cols), row-major.
struct Matrix {
  int rows, cols;
  std::vector<int> values = {};

  Matrix(int rows, int cols, std::uint32_t seed) : rows(rows), cols(cols) {
    for (int i = 0; i < rows * cols; ++i) {
      seed = seed * 1664525u + 1013904223u;
      values.push_back(static_cast<int>((seed >> 16) % 9) - 4);
    }
  }
  int operator()(int row, int col) const {
    return values[static_cast<std::size_t>(row * cols + col)];
  }
  fp16 element(int row, int col) const {
    return core::from_float<fp16>(static_cast<float>((*this)(row, col)));
  }
};

template <class T>
std::shared_ptr<T> on_device(const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  std::shared_ptr<T> memory(static_cast<T*>(gpu::allocate(bytes)), gpu::release);
  gpu::copy_to_device(memory.get(), values.data(), bytes);
  return memory;
}

// An operand's side of a launch: its memory, its map, what the kernel is told.
struct Side {
  Operand operand;
  Matrix matrix;
  std::shared_ptr<fp16> memory = {};
  gpu::TensorMap map = {};

  OperandArguments place(bool tma) {
    const bool by_rows = !tma || operand.form.k_major();  // TMA copies memory as it lies
    const int inner = by_rows ? operand.k : operand.rows,
              outer = by_rows ? operand.rows : operand.k;
    const int width = operand.form.span() / 2;  // of a box
    std::vector<fp16> stored;
    for (int i = 0; i < inner * outer; ++i) {
      stored.push_back(by_rows ? matrix.element(i / inner, i % inner)
                               : matrix.element(i % inner, i / inner));
    }
    memory = on_device(stored);
    OperandArguments out{.descriptor = operand.descriptor(),
                         .advance = {},
                         .boxes = (inner + width - 1) / width,
                         .box_elements = width,
                         .box_bytes = outer * operand.form.span()};
    for (int step = 0; step < operand.k / kStepK; ++step) out.advance[step] = operand.advance(step);
    if (!tma) return out;
    map = gpu::make_tensor_map(
        memory.get(),
        {.rank = 2,
         .size = {static_cast<std::uint64_t>(inner), static_cast<std::uint64_t>(outer)},
         .stride_bytes = {0, 2 * static_cast<std::uint64_t>(inner)},
         .box = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(outer)},
         .swizzle = operand.form.swizzle});
    return out;
  }
};

// What is wrong with D, column-major; empty when nothing is.
std::string complaint(const Case& c, const Matrix& a, const Matrix& b,
                      const std::vector<float>& d) {
  int wrong = 0;
  char first[80] = "";
  for (int i = 0; i < kRowsA * kRowsB; ++i) {
    const int row = i / kRowsB, col = i % kRowsB;
    int expected = 0;
    for (int k = 0; k < c.k; ++k) expected += c.sign_a * c.sign_b * a(row, k) * b(col, k);
    const double got = d[static_cast<std::size_t>(row + kRowsA * col)];
    if (got == expected || wrong++ > 0) continue;  // never equal with NaN
    char number[32] = "NaN";
    if (!std::isnan(got)) std::snprintf(number, sizeof number, "%g", got);
    std::snprintf(first, sizeof first, "D(%d,%d) is %s instead of %d", row, col, number, expected);
  }
  if (wrong == 0) return "";
  return std::to_string(wrong) + " of " + std::to_string(kRowsA * kRowsB) +
         " results are wrong; the first, " + first;
}

}  // namespace

std::string run(const Case& c, const Change& change) {
  Side a{c.a(), Matrix(kRowsA, c.k, 1)}, b{c.b(), Matrix(kRowsB, c.k, 2)};
  std::vector<float> d(kRowsA * kRowsB, std::numeric_limits<float>::quiet_NaN());
  const auto device_d = on_device(d);
  Arguments job{};
  job.a = a.place(c.tma);
  job.b = b.place(c.tma);
  job.steps = c.k / kStepK;
  job.a_values = a.memory.get();
  job.smem_bytes = (b.operand.start + b.operand.bytes() + 1023) / 1024 * 1024 + (c.tma ? 16 : 0);
  job.announced_bytes =
      static_cast<unsigned>(job.a.boxes * job.a.box_bytes + job.b.boxes * job.b.box_bytes);
  job.d = device_d.get();
  if (change) change(job);

  // NaN wherever no tile is: a wgmma that reads beside its tile shows it.
  std::vector<fp16> image(static_cast<std::size_t>(job.smem_bytes / 2), fp16{0xffff});
  const auto write = [&](const Side& side, std::size_t start) {
    for (int row = 0; row < side.matrix.rows; ++row) {
      for (int col = 0; col < c.k; ++col) {
        const auto byte = static_cast<std::size_t>(side.operand.byte(row, col));
        image[(start + byte) / 2] = side.matrix.element(row, col);
      }
    }
  };
  if (!c.a_in_registers) write(a, job.a.descriptor.address);
  write(b, job.b.descriptor.address);
  const auto device_image = on_device(image);
  if (!c.tma) job.image = device_image.get();

  const Kernel kernel = kernel_of(c);
  const gpu::LaunchShape shape = {.grid = dim3(1),
                                  .block = dim3(kThreads),
                                  .dynamic_smem = static_cast<std::size_t>(job.smem_bytes)};
  gpu::launch(kernel, gpu::launch_shape(kernel, shape), nullptr, a.map, b.map, job);
  gpu::synchronize();
  gpu::copy_to_host(d.data(), job.d, d.size() * sizeof(float));
  const std::string why = complaint(c, a.matrix, b.matrix, d);
  const std::string misread = a.operand.misread(job.a.descriptor);
  return why.empty() || c.a_in_registers || misread.empty() ? why : why + "; operand A, " + misread;
}

}  // namespace wgmma_lab
