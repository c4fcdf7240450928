#pragma once
// A matrix in memory between guard zones, so that writes that miss it are noticed.

#include <gemm/problem.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace gemm {

// The layout of one allocation:
//
//   | guard | offset | line 0 | padding | line 1 | padding | ... | last line | guard |
//
// Everything is filled with poison (NaN) before the run; afterwards everything but the lines must
// still hold it, bit for bit. The matrix begins `offset_elements` elements behind a multiple of 256
// bytes, provided that the allocation begins at one.
class GuardedMatrix {
 public:
  GuardedMatrix(const Stored& matrix, DataType type, std::int64_t offset_elements = 0,
                std::size_t guard_bytes = 4096);  // a multiple of 256

  std::size_t bytes() const { return bytes_; }           // of the allocation
  std::size_t matrix_offset() const { return offset_; }  // bytes from its start to the matrix
  std::size_t matrix_bytes() const { return bytes_of(matrix_.elements()); }

  // Looks at the allocation's bytes after the run. Nothing when all guards and paddings are
  // untouched; otherwise one line saying which is not, where, and how many bytes were changed
  // there.
  std::optional<std::string> damage(const std::byte* after) const;

 private:
  std::size_t bytes_of(std::int64_t elements) const {
    return static_cast<std::size_t>(elements) * element_bytes_;
  }

  Stored matrix_;
  std::size_t element_bytes_;
  std::size_t offset_;
  std::size_t bytes_;
};

}  // namespace gemm
