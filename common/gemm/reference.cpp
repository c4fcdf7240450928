#include <gemm/reference.hpp>

#include <core/vector_clones.hpp>
#include <gemm/element.hpp>
#include <gemm/parallel.hpp>

#include <algorithm>
#include <memory>

namespace gemm {
namespace {

// C is computed in blocks of B x B, each walking K in steps of BK with both operands converted to
// double and laid out so that the innermost loop reads consecutive numbers.
constexpr int B = 64;
constexpr int BK = 256;

struct Operand {
  const void* data;
  std::int64_t row_stride;  // elements between (row, k) and (row + 1, k)
  std::int64_t k_stride;    // elements between (row, k) and (row, k + 1)
};

Operand operand_a(const Problem& p) {
  return p.a_major == Major::kK ? Operand{p.a, p.lda, 1} : Operand{p.a, 1, p.lda};
}
Operand operand_b(const Problem& p) {
  return p.b_major == Major::kK ? Operand{p.b, p.ldb, 1} : Operand{p.b, 1, p.ldb};
}

struct Block {
  alignas(64) double a[BK][B];  // one k-slice of A per line
  alignas(64) double b[BK][B];
  alignas(64) double sum[B][B];
};

// packed[k][r] = from(row0 + r, k0 + k), zeros where there is no such row.
template <class T>
void pack(double (*packed)[B], const Operand& from, std::int64_t row0, int rows, std::int64_t k0,
          int depth) {
  for (int r = 0; r < B; ++r) {
    const T* source =
        static_cast<const T*>(from.data) + (row0 + r) * from.row_stride + k0 * from.k_stride;
    for (int k = 0; k < depth; ++k) {
      packed[k][r] = r < rows ? to_double(source[k * from.k_stride]) : 0.0;
    }
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
  switch (e.kind) {
    case EpilogueKind::kIdentity:
      break;
    case EpilogueKind::kAlphaBeta: {
      const double scaled = double{e.alpha} * sum;
      if (e.beta == 0.0f) return scaled;
      return scaled + double{e.beta} * load_element(p.c_type, p.c, row * p.ldc + col);
    }
    case EpilogueKind::kBiasRelu:
      return std::max(sum + load_element(p.type, e.bias, col), 0.0);
  }
  return sum;
}

template <class T>
void compute_block(const Problem& p, std::int64_t row0, std::int64_t col0, Block& block,
                   double* out) {
  const int rows = static_cast<int>(std::min<std::int64_t>(B, p.m - row0));
  const int cols = static_cast<int>(std::min<std::int64_t>(B, p.n - col0));
  std::fill_n(&block.sum[0][0], B * B, 0.0);
  for (std::int64_t k0 = 0; k0 < p.k; k0 += BK) {
    const int depth = static_cast<int>(std::min<std::int64_t>(BK, p.k - k0));
    pack<T>(block.a, operand_a(p), row0, rows, k0, depth);
    pack<T>(block.b, operand_b(p), col0, cols, k0, depth);
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
  const Operand a = operand_a(p), b = operand_b(p);
  double sum = 0;
  for (std::int64_t k = 0; k < p.k; ++k) {
    sum += to_double(static_cast<const T*>(a.data)[at.row * a.row_stride + k * a.k_stride]) *
           to_double(static_cast<const T*>(b.data)[at.col * b.row_stride + k * b.k_stride]);
  }
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
