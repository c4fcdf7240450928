#include <gemm/guard.hpp>

#include <gemm/inputs.hpp>

namespace gemm {

GuardedMatrix::GuardedMatrix(const Stored& matrix, DataType type, std::int64_t offset_elements,
                             std::size_t guard_bytes)
    : matrix_(matrix), element_bytes_(static_cast<std::size_t>(bytes_per_element(type))) {
  offset_ = guard_bytes + bytes_of(offset_elements);
  bytes_ = offset_ + matrix_bytes() + guard_bytes;
}

std::optional<std::string> GuardedMatrix::damage(const std::byte* after) const {
  std::size_t first = 0;  // changed byte, from the start of the zone
  std::string how_many;
  const auto changed = [&](std::size_t begin, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (after[i] != kPoison && count++ == 0) first = i - begin;
    }
    how_many = " (" + std::to_string(count) + " bytes)";
    return count > 0;
  };
  if (changed(0, offset_)) {
    return "guard before the matrix overwritten, first " + std::to_string(offset_ - first) +
           " bytes before its start" + how_many;
  }
  if (changed(offset_ + matrix_bytes(), bytes_)) {
    return "guard behind the matrix overwritten, first " + std::to_string(first) +
           " bytes behind its end" + how_many;
  }
  for (std::int64_t line = 0; line + 1 < matrix_.lines && !matrix_.empty(); ++line) {
    const std::size_t start = offset_ + bytes_of(line * matrix_.ld);
    if (!changed(start + bytes_of(matrix_.length), start + bytes_of(matrix_.ld))) continue;
    return "padding of row " + std::to_string(line) + " overwritten, first at column " +
           std::to_string(static_cast<std::size_t>(matrix_.length) + first / element_bytes_) +
           how_many;
  }
  return std::nullopt;
}

}  // namespace gemm
