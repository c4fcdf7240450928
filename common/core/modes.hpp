#pragma once
// How a tile lies in memory, and among whose threads an instruction orders memory accesses.

#include <cstdint>
#include <string>

namespace core {

// The direction in which an operand of a matrix product, A (M, K) or B (N, K), is contiguous in
// memory: along K, or along M or N.
enum class Major { kK, kMn };

// PTX .cta and .cluster.
enum class Scope { kBlock, kCluster };

// The four ways in which TMA can lay out a tile's rows in shared memory, and wgmma read them. In a
// row of 32, 64 or 128 bytes, 16-byte pieces trade places: with address bits counted from 0,
// bits 4 (4-5, 4-6) are XORed with bits 7 (7-8, 7-9). The pattern belongs to addresses, not to
// tiles, so tiles start at multiples of 256, 512 and 1024 bytes.
enum class SwizzleMode : std::uint8_t { kNone, k32B, k64B, k128B };

// The row that the pattern works on: 16 bytes (nothing to trade), 32, 64 or 128.
constexpr int span_bytes(SwizzleMode mode) {
  return 16 << static_cast<int>(mode);
}

// Where the byte at offset `address` of an unswizzled tile goes. An involution.
constexpr std::uint32_t swizzled(SwizzleMode mode, std::uint32_t address) {
  const std::uint32_t mask = static_cast<std::uint32_t>(span_bytes(mode) - 1) & ~15u;
  return address ^ (address >> 3 & mask);
}

inline std::string to_string(SwizzleMode mode) {
  return mode == SwizzleMode::kNone ? "no" : std::to_string(span_bytes(mode)) + "-byte";
}

}  // namespace core
