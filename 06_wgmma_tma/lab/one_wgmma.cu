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
  const bool a_k = c.a.k_major(), b_k = c.b.k_major();
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
  // As it lies in global memory: the columns of an MN-major operand one after another.
  std::vector<fp16> stored(bool by_rows) const {
    std::vector<fp16> out;
    for (int i = 0; i < rows * cols; ++i) {
      out.push_back(by_rows ? element(i / cols, i % cols) : element(i % rows, i / rows));
    }
    return out;
  }
};

template <class T>
std::shared_ptr<T> on_device(const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  std::shared_ptr<T> memory(static_cast<T*>(gpu::allocate(bytes)), gpu::release);
  gpu::copy_to_device(memory.get(), values.data(), bytes);
  return memory;
}

OperandArguments arguments_of(const Operand& operand, int start) {
  const bool k_major = operand.form.k_major();
  const int width = operand.form.span() / 2;  // of a box
  const int along = k_major ? operand.k : operand.rows, across = operand.rows * operand.k / along;
  OperandArguments out{.start = start,
                       .swizzle = operand.form.swizzle,
                       .leading = static_cast<int>(operand.strides.leading) * 16,
                       .stride = static_cast<int>(operand.strides.stride) * 16,
                       .advance = {},
                       .boxes = (along + width - 1) / width,
                       .box_elements = width,
                       .box_bytes = across * operand.form.span()};
  for (int step = 0; step < operand.k / kStepK; ++step) out.advance[step] = operand.advance(step);
  return out;
}

gpu::TensorMap map_of(const Operand& operand, const fp16* values) {
  const auto along = static_cast<std::uint64_t>(operand.form.k_major() ? operand.k : operand.rows);
  const auto across = static_cast<std::uint64_t>(operand.form.k_major() ? operand.rows : operand.k);
  return gpu::make_tensor_map(values, {.rank = 2,
                                       .size = {along, across},
                                       .stride_bytes = {0, 2 * along},
                                       .box = {static_cast<std::uint32_t>(operand.form.span() / 2),
                                               static_cast<std::uint32_t>(across)},
                                       .swizzle = operand.form.swizzle});
}

core::MatrixDescriptorFields fields_of(const OperandArguments& operand, int start) {
  return {static_cast<std::uint32_t>(start), operand.leading, operand.stride, 0, operand.swizzle};
}

// What is wrong with D, column-major; empty when nothing is.
std::string complaint(const Case& c, const Matrix& a, const Matrix& b,
                      const std::vector<float>& d) {
  int wrong = 0;
  char first[80] = "";
  for (int row = 0; row < kRowsA; ++row) {
    for (int col = 0; col < kRowsB; ++col) {
      int expected = 0;
      for (int k = 0; k < c.k; ++k) expected += c.sign_a * c.sign_b * a(row, k) * b(col, k);
      const double got = d[static_cast<std::size_t>(row + kRowsA * col)];
      if (got == expected) continue;  // never with NaN
      if (wrong++ > 0) continue;
      char number[32] = "NaN";
      if (!std::isnan(got)) std::snprintf(number, sizeof number, "%g", got);
      std::snprintf(first, sizeof first, "D(%d,%d) is %s instead of %d", row, col, number,
                    expected);
    }
  }
  if (wrong == 0) return "";
  return std::to_string(wrong) + " of " + std::to_string(kRowsA * kRowsB) +
         " results are wrong; the first, " + first;
}

}  // namespace

Verdict run(const Case& c, const std::function<void(Arguments&)>& change) {
  const Matrix a(kRowsA, c.k, 1), b(kRowsB, c.k, 2);
  const Operand operand_a = c.operand_a(), operand_b = c.operand_b();
  // TMA copies memory as it lies: an MN-major tile comes from an MN-major matrix.
  const auto device_a = on_device(a.stored(!c.tma || c.a.k_major()));
  const auto device_b = on_device(b.stored(!c.tma || c.b.k_major()));
  std::vector<float> results(kRowsA * kRowsB, std::numeric_limits<float>::quiet_NaN());
  const auto device_d = on_device(results);

  const auto round_up = [](int bytes) { return (bytes + 1023) / 1024 * 1024; };
  const int start_b = c.a_in_registers ? 0 : round_up(operand_a.bytes());
  Arguments job{};
  job.a = arguments_of(operand_a, 0);
  job.b = arguments_of(operand_b, start_b);
  job.steps = c.k / kStepK;
  job.a_values = device_a.get();
  job.smem_bytes = round_up(start_b + operand_b.bytes()) + (c.tma ? 16 : 0);
  job.announced_bytes =
      static_cast<unsigned>(job.a.boxes * job.a.box_bytes + job.b.boxes * job.b.box_bytes);
  job.d = device_d.get();
  if (change) change(job);

  // NaN wherever no tile is: a wgmma that reads beside its tile shows it.
  std::vector<fp16> image(static_cast<std::size_t>(job.smem_bytes / 2), fp16{0xffff});
  const auto place = [&](const Operand& operand, int start, const Matrix& matrix) {
    for (int row = 0; row < matrix.rows; ++row) {
      for (int col = 0; col < matrix.cols; ++col) {
        const int at = (start + operand.byte(row, col)) / 2;
        image[static_cast<std::size_t>(at)] = matrix.element(row, col);
      }
    }
  };
  if (!c.a_in_registers) place(operand_a, job.a.start, a);
  place(operand_b, job.b.start, b);
  const auto device_image = on_device(image);
  gpu::TensorMap map_a = {}, map_b = {};
  if (c.tma) {
    map_a = map_of(operand_a, device_a.get());
    map_b = map_of(operand_b, device_b.get());
  } else {
    job.image = device_image.get();
  }
  const Kernel kernel = kernel_of(c);
  gpu::launch(kernel,
              gpu::launch_shape(kernel, {.grid = dim3(1),
                                         .block = dim3(kThreads),
                                         .dynamic_smem = static_cast<std::size_t>(job.smem_bytes)}),
              nullptr, map_a, map_b, job);
  gpu::synchronize();
  gpu::copy_to_host(results.data(), job.d, results.size() * sizeof(float));

  Verdict verdict{complaint(c, a, b, results), core::encode(fields_of(job.a, job.a.start)),
                  core::encode(fields_of(job.b, job.b.start))};
  const auto explain = [&](const char* which, const Operand& operand,
                           const OperandArguments& used) {
    const std::string why = misread(operand, fields_of(used, 0));
    if (verdict.why.empty() || why.empty()) return;
    verdict.why += std::string("; operand ") + which + ", " + why;
  };
  if (!c.a_in_registers) explain("A", operand_a, job.a);
  explain("B", operand_b, job.b);
  return verdict;
}

}  // namespace wgmma_lab
