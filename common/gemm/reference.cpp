#include <gemm/reference.hpp>

#include <core/vector_clones.hpp>
#include <gemm/element.hpp>
#include <gemm/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

namespace gemm {
namespace {

// C is computed in blocks of B x B, each walking K in steps of BK with both operands converted to
// double and laid out so that the innermost loop reads consecutive numbers.
constexpr int B = 64;
constexpr int BK = 256;

template <class T>
struct Operand {
  const T* data;
  std::int64_t row_stride, k_stride;  // elements from (row, k) to (row + 1, k) and (row, k + 1)

  Operand(const void* at, std::int64_t ld, Major major)
      : data(static_cast<const T*>(at)),
        row_stride(major == Major::kK ? ld : 1),
        k_stride(major == Major::kK ? 1 : ld) {}
  double operator()(std::int64_t row, std::int64_t k) const {
    return to_double(data[row * row_stride + k * k_stride]);
  }
};

struct Block {
  alignas(64) double a[BK][B];  // one k-slice of A per line
  alignas(64) double b[BK][B];
  alignas(64) double sum[B][B];
};

// packed[k][r] = from(row0 + r, k0 + k), zeros where there is no such row.
template <class T>
void pack(double (*packed)[B], const Operand<T>& from, std::int64_t row0, int rows, std::int64_t k0,
          int depth) {
  for (int r = 0; r < B; ++r) {
    for (int k = 0; k < depth; ++k) packed[k][r] = r < rows ? from(row0 + r, k0 + k) : 0.0;
  }
}

CORE_VECTOR_CLONES
void multiply(Block& block, int depth) {
  for (int i = 0; i < B; ++i) {
    for (int k = 0; k < depth; ++k) {
      for (int j = 0; j < B; ++j) block.sum[i][j] += block.a[k][i] * block.b[k][j];
    }
  }
}

double finish(const Problem& p, std::int64_t row, std::int64_t col, double sum) {
  const Epilogue& e = p.epilogue;
  if (e.kind == EpilogueKind::kIdentity) return sum;
  if (e.adds_bias()) {
    const double x = sum + load_element(p.type, e.bias, col);
    if (e.kind == EpilogueKind::kBiasRelu) return std::max(x, 0.0);
    if (e.kind == EpilogueKind::kBiasSilu) return x / (1 + std::exp(-x));
    if (e.kind == EpilogueKind::kBias) return x;
    return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }
  const double scaled = double{e.alpha} * sum;
  if (e.beta == 0.0f) return scaled;
  return scaled + double{e.beta} * load_element(p.c_type, p.c, row * p.ldc + col);
}

template <class T>
void compute_block(const Problem& p, std::int64_t row0, std::int64_t col0, Block& block,
                   double* out) {
  const int rows = static_cast<int>(std::min<std::int64_t>(B, p.m - row0));
  const int cols = static_cast<int>(std::min<std::int64_t>(B, p.n - col0));
  const Operand<T> a(p.a, p.lda, p.a_major), b(p.b, p.ldb, p.b_major);
  std::fill_n(&block.sum[0][0], B * B, 0.0);
  for (std::int64_t k0 = 0; k0 < p.k; k0 += BK) {
    const int depth = static_cast<int>(std::min<std::int64_t>(BK, p.k - k0));
    pack(block.a, a, row0, rows, k0, depth);
    pack(block.b, b, col0, cols, k0, depth);
    multiply(block, depth);
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      out[(row0 + i) * p.n + col0 + j] = finish(p, row0 + i, col0 + j, block.sum[i][j]);
    }
  }
}

template <class T>
double dot(const Problem& p, const Entry& at) {
  const Operand<T> a(p.a, p.lda, p.a_major), b(p.b, p.ldb, p.b_major);
  double sum = 0;
  for (std::int64_t k = 0; k < p.k; ++k) sum += a(at.row, k) * b(at.col, k);
  return sum;
}

}  // namespace

std::vector<double> reference(const Problem& host) {
  std::vector<double> out(static_cast<std::size_t>(host.m * host.n));
  const std::int64_t block_rows = (host.m + B - 1) / B, block_cols = (host.n + B - 1) / B;
  parallel_for(block_rows * block_cols, [&](std::int64_t i) {
    static thread_local const auto block = std::make_unique<Block>();
    const std::int64_t row0 = i / block_cols * B, col0 = i % block_cols * B;
    dispatch_type(host.type,
                  [&]<class T>() { compute_block<T>(host, row0, col0, *block, out.data()); });
  });
  return out;
}

std::vector<double> reference(const Problem& host, std::span<const Entry> entries) {
  std::vector<double> out(entries.size());
  parallel_for(static_cast<std::int64_t>(entries.size()), [&](std::int64_t i) {
    const Entry& at = entries[static_cast<std::size_t>(i)];
    const double sum = dispatch_type(host.type, [&]<class T>() { return dot<T>(host, at); });
    out[static_cast<std::size_t>(i)] = finish(host, at.row, at.col, sum);
  });
  return out;
}

}  // namespace gemm
