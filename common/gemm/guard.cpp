#include <gemm/guard.hpp>

#include <gemm/inputs.hpp>

#include <cstring>

namespace gemm {
namespace {

struct Damage {
  std::size_t count = 0;  // bytes
  std::size_t first = 0;  // position of the first, from the start of the zone
};

// Zones begin at even addresses, so the pattern's phase is that of the zone.
Damage look(const std::byte* zone, std::size_t bytes) {
  Damage found;
  std::byte pattern[2];
  std::memcpy(pattern, &kPoison, 2);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (zone[i] == pattern[i % 2]) continue;
    if (found.count++ == 0) found.first = i;
  }
  return found;
}

}  // namespace

GuardedMatrix::GuardedMatrix(const Stored& matrix, DataType type, std::int64_t offset_elements,
                             std::size_t guard_bytes)
    : matrix_(matrix), element_bytes_(static_cast<std::size_t>(bytes_per_element(type))) {
  offset_ = guard_bytes + static_cast<std::size_t>(offset_elements) * element_bytes_;
  bytes_ = offset_ + static_cast<std::size_t>(matrix.elements()) * element_bytes_ + guard_bytes;
}

std::vector<std::byte> GuardedMatrix::image(const void* contents) const {
  std::vector<std::byte> bytes(bytes_);
  fill_pattern(bytes.data(), bytes.size(), kPoison);
  if (contents == nullptr || matrix_.empty()) return bytes;
  const auto line_bytes = static_cast<std::size_t>(matrix_.length) * element_bytes_;
  const auto* source = static_cast<const std::byte*>(contents);
  for (std::int64_t line = 0; line < matrix_.lines; ++line) {
    const auto start = static_cast<std::size_t>(line * matrix_.ld) * element_bytes_;
    std::memcpy(bytes.data() + offset_ + start, source + start, line_bytes);
  }
  return bytes;
}

std::optional<std::string> GuardedMatrix::damage(const std::byte* after) const {
  const auto matrix_bytes = static_cast<std::size_t>(matrix_.elements()) * element_bytes_;
  const auto changed = [](const Damage& d) { return " (" + std::to_string(d.count) + " bytes)"; };
  if (const Damage d = look(after, offset_); d.count > 0) {
    return "guard before the matrix overwritten, first " + std::to_string(offset_ - d.first) +
           " bytes before its start" + changed(d);
  }
  const std::byte* end = after + offset_ + matrix_bytes;
  if (const Damage d = look(end, bytes_ - offset_ - matrix_bytes); d.count > 0) {
    return "guard behind the matrix overwritten, first " + std::to_string(d.first) +
           " bytes behind its end" + changed(d);
  }
  if (matrix_.empty()) return std::nullopt;

  const auto padding = static_cast<std::size_t>(matrix_.ld - matrix_.length) * element_bytes_;
  for (std::int64_t line = 0; line + 1 < matrix_.lines; ++line) {
    const auto position = static_cast<std::size_t>(line * matrix_.ld + matrix_.length);
    const Damage d = look(after + offset_ + position * element_bytes_, padding);
    if (d.count == 0) continue;
    const auto column = static_cast<std::size_t>(matrix_.length) + d.first / element_bytes_;
    return "padding of row " + std::to_string(line) + " overwritten, first at column " +
           std::to_string(column) + changed(d);
  }
  return std::nullopt;
}

}  // namespace gemm
