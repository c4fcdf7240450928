#pragma once
// 8x8 matrices of 16-bit elements between shared memory and the registers of a warp (PTX ldmatrix,
// stmatrix). Lane i supplies the address of row i % 8 of matrix i / 8, 16 bytes each; the whole
// warp calls. Lane i then holds elements 2 (i % 4) and 2 (i % 4) + 1 of row i / 4, of the
// transposed matrix in the forms with _trans.

#include <runtime/builtins.hpp>
#include <runtime/collectives.hpp>

namespace gpu {

template <int N>
void ldmatrix(std::uint32_t (&out)[N], const void* row, Site where = Site::current()) {
  static_assert(N == 1 || N == 2 || N == 4);
  runtime::load_matrices(out, row, N, false, where);
}

template <int N>
void ldmatrix_trans(std::uint32_t (&out)[N], const void* row, Site where = Site::current()) {
  static_assert(N == 1 || N == 2 || N == 4);
  runtime::load_matrices(out, row, N, true, where);
}

template <int N>
void stmatrix(void* row, const std::uint32_t (&in)[N], Site where = Site::current()) {
  static_assert(N == 1 || N == 2 || N == 4);
  runtime::store_matrices(row, in, N, false, where);
}

template <int N>
void stmatrix_trans(void* row, const std::uint32_t (&in)[N], Site where = Site::current()) {
  static_assert(N == 1 || N == 2 || N == 4);
  runtime::store_matrices(row, in, N, true, where);
}

}  // namespace gpu
