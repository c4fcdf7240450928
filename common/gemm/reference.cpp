#include <gemm/reference.hpp>

#include <core/vector_clones.hpp>
#include <gemm/element.hpp>
#include <gemm/parallel.hpp>

#include <algorithm>
#include <memory>

namespace gemm {
namespace {

// C is computed in blocks of BM x BN, each walking K in steps of BK with both operands converted to
// double and laid out so that the innermost loop reads consecutive numbers.
constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 256;
constexpr int TM = 4;  // outputs held in registers: TM x TN
constexpr int TN = 4;

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
  alignas(64) double a[BK][BM];  // (BK, BM): one k-slice of A per line
  alignas(64) double b[BK][BN];
  alignas(64) double sum[BM][BN];
};

// packed[k][r] = operand(row0 + r, k0 + k), zeros where there is no such row.
template <class T, int ROWS>
void pack(double (*packed)[ROWS], const Operand& operand, std::int64_t row0, int rows,
          std::int64_t k0, int depth) {
  const T* data = static_cast<const T*>(operand.data);
  for (int r = 0; r < ROWS; ++r) {
    const T* source = data + (row0 + r) * operand.row_stride + k0 * operand.k_stride;
    for (int k = 0; k < depth; ++k) {
      packed[k][r] = r < rows ? to_double(source[k * operand.k_stride]) : 0.0;
    }
  }
}

CORE_VECTOR_CLONES
void multiply(Block& block, int depth) {
  for (int i = 0; i < BM; i += TM) {
    for (int j = 0; j < BN; j += TN) {
      double sum[TM][TN];
      for (int y = 0; y < TM; ++y) {
        for (int x = 0; x < TN; ++x) sum[y][x] = block.sum[i + y][j + x];
      }
      for (int k = 0; k < depth; ++k) {
        const double* a = &block.a[k][i];
        const double* b = &block.b[k][j];
        for (int y = 0; y < TM; ++y) {
          for (int x = 0; x < TN; ++x) sum[y][x] += a[y] * b[x];
        }
      }
      for (int y = 0; y < TM; ++y) {
        for (int x = 0; x < TN; ++x) block.sum[i + y][j + x] = sum[y][x];
      }
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
  const int rows = static_cast<int>(std::min<std::int64_t>(BM, p.m - row0));
  const int cols = static_cast<int>(std::min<std::int64_t>(BN, p.n - col0));
  std::fill_n(&block.sum[0][0], BM * BN, 0.0);
  for (std::int64_t k0 = 0; k0 < p.k; k0 += BK) {
    const int depth = static_cast<int>(std::min<std::int64_t>(BK, p.k - k0));
    pack<T, BM>(block.a, operand_a(p), row0, rows, k0, depth);
    pack<T, BN>(block.b, operand_b(p), col0, cols, k0, depth);
    multiply(block, depth);
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      out[(row0 + i) * p.n + col0 + j] = finish(p, row0 + i, col0 + j, block.sum[i][j]);
    }
  }
}

template <class T>
double dot(const Problem& p, std::int64_t row, std::int64_t col) {
  if (p.k == 0) return 0;  // no memory to point into
  const Operand a = operand_a(p), b = operand_b(p);
  const T* a_row = static_cast<const T*>(a.data) + row * a.row_stride;
  const T* b_row = static_cast<const T*>(b.data) + col * b.row_stride;
  double sum = 0;
  for (std::int64_t k = 0; k < p.k; ++k) {
    sum += to_double(a_row[k * a.k_stride]) * to_double(b_row[k * b.k_stride]);
  }
  return sum;
}

}  // namespace

std::vector<double> reference(const Problem& host) {
  std::vector<double> out(static_cast<std::size_t>(host.m * host.n));
  const std::int64_t block_rows = (host.m + BM - 1) / BM;
  const std::int64_t block_cols = (host.n + BN - 1) / BN;
  parallel_for(block_rows * block_cols, [&](std::int64_t i) {
    static thread_local const auto block = std::make_unique<Block>();
    const std::int64_t row0 = i / block_cols * BM, col0 = i % block_cols * BN;
    dispatch_type(host.type,
                  [&]<class T>() { compute_block<T>(host, row0, col0, *block, out.data()); });
  });
  return out;
}

std::vector<double> reference(const Problem& host, std::span<const Entry> entries) {
  std::vector<double> out(entries.size());
  constexpr std::int64_t kPerCall = 16;
  const std::int64_t count = static_cast<std::int64_t>(entries.size());
  parallel_for((count + kPerCall - 1) / kPerCall, [&](std::int64_t call) {
    const std::int64_t last = std::min(count, (call + 1) * kPerCall);
    for (std::int64_t i = call * kPerCall; i < last; ++i) {
      const Entry& e = entries[static_cast<std::size_t>(i)];
      const double sum =
          dispatch_type(host.type, [&]<class T>() { return dot<T>(host, e.row, e.col); });
      out[static_cast<std::size_t>(i)] = finish(host, e.row, e.col, sum);
    }
  });
  return out;
}

}  // namespace gemm
