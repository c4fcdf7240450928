#include "case.hpp"

#include <core/numeric.hpp>
#include <gpu/host.hpp>

#include <cmath>
#include <cstdlib>
#include <memory>

namespace wgmma_lab {

namespace {

using layout::Major;

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count)
      : count_(count), data_(static_cast<T*>(gpu::allocate(count * sizeof(T)))) {
    gpu::fill_bytes(data_.get(), 0xff, count * sizeof(T));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    gpu::copy_to_device(data_.get(), values.data(), count_ * sizeof(T));
  }
  T* data() const { return data_.get(); }
  std::vector<T> values() const {
    std::vector<T> out(count_);
    gpu::copy_to_host(out.data(), data_.get(), count_ * sizeof(T));
    return out;
  }

 private:
  struct Release {
    void operator()(T* data) const { gpu::release(data); }
  };
  std::size_t count_;
  std::unique_ptr<T, Release> data_;
};

// Elements as they are stored, and what they are worth.
struct Matrix {
  int rows, cols;
  std::vector<std::uint16_t> bits;
  std::vector<double> values;

  double operator()(int row, int col) const {
    return values[static_cast<std::size_t>(row * cols + col)];
  }
  std::vector<std::uint16_t> transposed() const {
    std::vector<std::uint16_t> out;
    for (int col = 0; col < cols; ++col) {
      for (int row = 0; row < rows; ++row)
        out.push_back(bits[static_cast<std::size_t>(row * cols + col)]);
    }
    return out;
  }
};

Matrix make_matrix(gemm::DataType type, int rows, int cols, Data data, std::uint32_t seed) {
  Matrix out{rows, cols, {}, {}};
  std::uint32_t state = seed;
  for (int i = 0; i < rows * cols; ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = data == Data::kIntegers
                            ? static_cast<float>(static_cast<int>((state >> 16) % 9) - 4)
                            : static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1.0f;
    gemm::dispatch_type(type, [&]<class T>() {
      const T element = core::from_float<T>(value);
      out.bits.push_back(element.bits);
      out.values.push_back(core::to_float(element));
    });
  }
  return out;
}

// What a sum may be off by: nothing on integers; otherwise the rounding of 16 products at a time,
// of which tensor cores keep well over 18 bits, fp16 sums 11.
double tolerance(const Case& c, Data data, double magnitude) {
  if (data == Data::kIntegers) return 0;
  const double ulp = std::ldexp(1.0, c.half_sums ? -10 : -18);
  return magnitude * ulp * (c.k / kStepK + 1);
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// What is wrong with D, column-major; empty when nothing is.
std::string complaint(const Case& c, Data data, const Matrix& a, const Matrix& b,
                      const std::vector<float>& d) {
  int wrong = 0;
  std::string first;
  for (int row = 0; row < kRowsA; ++row) {
    for (int col = 0; col < c.n; ++col) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < c.k; ++k) {
        const double product = c.sign_a * c.sign_b * a(row, k) * b(col, k);
        sum += product;
        magnitude += std::abs(product);
      }
      const double got = d[static_cast<std::size_t>(row + kRowsA * col)];
      if (std::abs(got - sum) <= tolerance(c, data, magnitude)) continue;  // never with NaN
      if (wrong++ == 0) {
        first = "D(" + std::to_string(row) + "," + std::to_string(col) + ") is " + number(got) +
                " instead of " + number(sum);
      }
    }
  }
  if (wrong == 0) return "";
  return std::to_string(wrong) + " of " + std::to_string(kRowsA * c.n) +
         " results are wrong; the first, " + first;
}

OperandArguments arguments_of(const Operand& operand, int start, const std::uint16_t* values) {
  OperandArguments out{};
  out.values = values;
  out.tile_swizzle = out.swizzle = operand.form.swizzle;
  out.start = start;
  out.leading = operand.leading_bytes();
  out.stride = operand.stride_bytes();
  for (int step = 0; step < operand.k / kStepK; ++step) out.advance[step] = operand.advance(step);
  const bool k_major = operand.form.major == Major::kK;
  out.box_elements = core::span_bytes(operand.form.swizzle) / 2;
  out.box_bytes = (k_major ? operand.rows : operand.k) * core::span_bytes(operand.form.swizzle);
  out.boxes = ((k_major ? operand.k : operand.rows) + out.box_elements - 1) / out.box_elements;
  return out;
}

core::TensorMapShape tensor_of(const Operand& operand) {
  const bool k_major = operand.form.major == Major::kK;
  const auto inner = static_cast<std::uint64_t>(k_major ? operand.k : operand.rows);
  const auto outer = static_cast<std::uint64_t>(k_major ? operand.rows : operand.k);
  core::TensorMapShape shape;
  shape.size = {inner, outer};
  shape.stride_bytes = {2, 2 * inner};
  shape.box = {static_cast<std::uint32_t>(core::span_bytes(operand.form.swizzle) / 2),
               static_cast<std::uint32_t>(outer)};
  shape.swizzle = operand.form.swizzle;
  return shape;
}

// Why an operand is read wrongly, if it is; empty otherwise.
std::string diagnosis(const char* which, const Operand& operand, const OperandArguments& used) {
  Operand written = operand;
  if (used.tile_swizzle != operand.form.swizzle) {
    written = make_operand({operand.form.major, used.tile_swizzle}, operand.rows, operand.k);
  }
  const core::MatrixDescriptorFields fields = {static_cast<std::uint32_t>(used.start), used.leading,
                                               used.stride, 0, used.swizzle};
  const auto found = misread(written, fields, used.start);
  return found ? std::string("; operand ") + which + ", " + *found : "";
}

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::vector<Case> all_combinations() {
  using enum core::SwizzleMode;
  std::vector<Form> forms;
  for (const Major major : {Major::kK, Major::kMn}) {
    for (const core::SwizzleMode swizzle : {kNone, k32B, k64B, k128B}) {
      forms.push_back({major, swizzle});
    }
  }
  std::vector<Case> cases;
  for (const gemm::DataType type : {gemm::DataType::kBf16, gemm::DataType::kFp16}) {
    for (const int n : {32, 256}) {
      for (const Form& a : forms) {
        for (const Form& b : forms) cases.push_back({.type = type, .n = n, .a = a, .b = b});
      }
      for (const Form& b : forms) {
        cases.push_back({.type = type, .n = n, .a_in_registers = true, .b = b});
      }
    }
  }
  return cases;
}

Verdict run(const Case& c, Data data, const Change& change) {
  const Matrix a = make_matrix(c.type, kRowsA, c.k, data, 1);
  const Matrix b = make_matrix(c.type, c.n, c.k, data, 2);
  const Operand operand_a = c.operand_a(), operand_b = c.operand_b();
  // TMA copies memory as it lies: an MN-major tile comes from an MN-major matrix.
  const auto stored = [&](const Matrix& m, const Form& form) {
    return c.way == Way::kTma && form.major == Major::kMn ? m.transposed() : m.bits;
  };
  const DeviceArray<std::uint16_t> device_a(stored(a, c.a)), device_b(stored(b, c.b));
  const DeviceArray<float> d(static_cast<std::size_t>(kRowsA * c.n));
  const DeviceArray<core::MatrixDescriptor> descriptors(2);

  const int start_b = c.a_in_registers ? 0 : round_up(operand_a.bytes(), 1024);
  Arguments job{};
  job.a = arguments_of(operand_a, 0, device_a.data());
  job.b = arguments_of(operand_b, start_b, device_b.data());
  job.smem_bytes = round_up(start_b + operand_b.bytes(), 1024);
  if (c.way == Way::kTma) {
    job.barrier_start = job.smem_bytes;
    job.smem_bytes += 16;
  }
  job.announced_bytes =
      static_cast<unsigned>(job.a.boxes * job.a.box_bytes + job.b.boxes * job.b.box_bytes);
  job.d = d.data();
  job.descriptors = descriptors.data();
  if (change) change(job);
  launch(c, job, tensor_of(operand_a), tensor_of(operand_b));
  gpu::synchronize();

  const auto used = descriptors.values();
  Verdict verdict{false, complaint(c, data, a, b, d.values()), used[0], used[1]};
  verdict.right = verdict.why.empty();
  if (!verdict.right) {
    if (!c.a_in_registers) verdict.why += diagnosis("A", operand_a, job.a);
    verdict.why += diagnosis("B", operand_b, job.b);
  }
  return verdict;
}

Verdict run(const Case& c) {
  const Verdict integers = run(c, Data::kIntegers);
  return integers.right ? run(c, Data::kRandom) : integers;
}

}  // namespace wgmma_lab
