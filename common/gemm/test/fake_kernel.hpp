#pragma once
// Stand-ins for a kernel's output, right or wrong on purpose.

#include <gemm/element.hpp>
#include <gemm/inputs.hpp>
#include <gemm/reference.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fake {

// C of one problem in host memory: entries by coordinates.
class Output {
 public:
  explicit Output(const gemm::HostOperands& operands)
      : problem_(operands.problem), bytes_(operands.c) {}

  const void* data() const { return bytes_.data(); }
  double get(std::int64_t row, std::int64_t col) const {
    return gemm::load_element(problem_.c_type, bytes_.data(), row * problem_.ldc + col);
  }
  void set(std::int64_t row, std::int64_t col, double value) {
    gemm::store_element(problem_.c_type, bytes_.data(), row * problem_.ldc + col,
                        static_cast<float>(value));
  }

 private:
  gemm::Problem problem_;
  std::vector<std::byte> bytes_;
};

// The best that any kernel can do: the reference, rounded once.
inline Output perfect(const gemm::HostOperands& operands) {
  Output out(operands);
  const gemm::Problem& p = operands.problem;
  const std::vector<double> reference = gemm::reference(p);
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t col = 0; col < p.n; ++col) {
      out.set(row, col, reference[static_cast<std::size_t>(row * p.n + col)]);
    }
  }
  return out;
}

// The product a[row, k] * b[col, k] of a packed problem with K contiguous.
inline float product(const gemm::Problem& p, std::int64_t row, std::int64_t col, std::int64_t k) {
  return static_cast<float>(gemm::load_element(p.type, p.a, row * p.lda + k) *
                            gemm::load_element(p.type, p.b, col * p.ldb + k));
}

}  // namespace fake
