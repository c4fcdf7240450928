#pragma once
// The problem as kernels take it: typed pointers and 32-bit sizes, passed by value.

#include <core/error.hpp>
#include <gemm/problem.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace gemm {

template <class T, class TC = T>
struct Operands {
  const T* a;  // (M, K), K contiguous, rows lda apart
  const T* b;  // (N, K), K contiguous, rows ldb apart
  TC* c;       // (M, N), N contiguous, rows ldc apart
  std::int64_t lda, ldb, ldc;
  int m, n, k;
};

// Throws core::Refused, naming `who`, for operands that TMA cannot read: it wants addresses and
// distances of rows (of columns, where these are contiguous) that are multiples of 16 bytes.
inline void require_tma(const Problem& problem, std::string_view who) {
  if (problem.m == 0 || problem.n == 0 || problem.k == 0) return;
  const auto require = [&](const std::string& name, const void* data, std::int64_t ld) {
    const auto rest = reinterpret_cast<std::uintptr_t>(data) % 16;
    const std::int64_t bytes = ld * bytes_per_element(problem.type);
    if (rest == 0 && bytes % 16 == 0 && bytes < std::int64_t{1} << 40) return;
    const std::string what =
        rest != 0
            ? name + " lies " + std::to_string(rest) + " bytes behind a multiple of 16"
            : "ld" + name + " = " + std::to_string(ld) + " is " + std::to_string(bytes) + " bytes";
    throw core::Refused(std::string(who) + ": " + what +
                        ", and TMA reads A and B at multiples of 16 bytes, less than 2^40 apart");
  };
  require("a", problem.a, problem.lda);
  require("b", problem.b, problem.ldb);
}

// The operands of a problem whose pointers have types T and TC.
template <class T, class TC = T>
Operands<T, TC> typed_operands(const Problem& problem) {
  return {.a = static_cast<const T*>(problem.a),
          .b = static_cast<const T*>(problem.b),
          .c = static_cast<TC*>(problem.c),
          .lda = problem.lda,
          .ldb = problem.ldb,
          .ldc = problem.ldc,
          .m = static_cast<int>(problem.m),
          .n = static_cast<int>(problem.n),
          .k = static_cast<int>(problem.k)};
}

constexpr int ceil_div(int value, int divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

// Blocks of a one-dimensional grid over ceil(m / rows) x ceil(n / cols) tiles. Throws core::Refused
// beyond 2^31 - 1 of them, the most that gridDim.x can hold.
inline unsigned tile_count(int m, int n, int rows, int cols, std::string_view who) {
  const std::int64_t tiles = std::int64_t{ceil_div(m, rows)} * ceil_div(n, cols);
  if (tiles > std::numeric_limits<std::int32_t>::max()) {
    throw core::Refused(std::string(who) + ": " + std::to_string(tiles) +
                        " tiles of C exceed the largest grid (2147483647 blocks)");
  }
  return static_cast<unsigned>(tiles);
}

// The widest access, in elements (8, 4, 2 or 1), that reaches every row of a matrix at an aligned
// address and never straddles the end of a row of `length` elements.
template <class T>
int widest_access(const T* data, std::int64_t leading_dimension, std::int64_t length) {
  for (int width = 16 / static_cast<int>(sizeof(T)); width > 1; width /= 2) {
    const bool address_fits = reinterpret_cast<std::uintptr_t>(data) % (width * sizeof(T)) == 0;
    if (address_fits && leading_dimension % width == 0 && length % width == 0) return width;
  }
  return 1;
}

// Elements per load that rows of A and of B allow, both K-major.
template <class T>
int load_width(const Operands<T>& g) {
  return std::min(widest_access(g.a, g.lda, g.k), widest_access(g.b, g.ldb, g.k));
}

// make<T, load width>(operands) of a problem: 128 bits, or what K, strides and addresses permit.
template <class Make>
auto with_load_width(const Problem& problem, Make make) {
  return dispatch_type(problem.type, [&]<class T>() {
    const auto g = typed_operands<T>(problem);
    const int width = load_width(g);
    if (width == 8) return make.template operator()<T, 8>(g);
    if (width == 4) return make.template operator()<T, 4>(g);
    if (width == 2) return make.template operator()<T, 2>(g);
    return make.template operator()<T, 1>(g);
  });
}

}  // namespace gemm
