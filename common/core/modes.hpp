#pragma once
// How a tile lies in memory, how wgmma finds it there, and among whose threads an instruction
// orders memory accesses.

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

// The 64 bits by which wgmma finds an operand in shared memory (PTX ISA, "Matrix Descriptor"):
//   bits  0-13  start address, in units of 16 bytes
//   bits 16-29  leading byte offset (LBO), in units of 16 bytes
//   bits 32-45  stride byte offset (SBO), in units of 16 bytes
//   bits 49-51  base offset: 0, since tiles start where their swizzle's pattern does
//   bits 62-63  swizzle: 0 none, 1 128-byte, 2 64-byte, 3 32-byte
struct MatrixDescriptor {
  std::uint64_t bits;

  // The same operand, `bytes` further on (a multiple of 16): the next 16 columns of a K-major tile
  // are 32 bytes away, inside the swizzle's row.
  constexpr MatrixDescriptor plus(int bytes) const {
    return {bits + static_cast<std::uint64_t>(bytes / 16)};
  }
};

struct MatrixDescriptorFields {
  std::uint32_t address;  // bytes, within the block's shared memory, below 256 KB
  int leading_bytes;
  int stride_bytes;
  SwizzleMode swizzle;

  bool operator==(const MatrixDescriptorFields&) const = default;
};

// `address` in bytes as shared memory counts them. Address, LBO and SBO lose their last four bits.
constexpr MatrixDescriptor encode(const MatrixDescriptorFields& fields) {
  const auto units = [](auto bytes) { return static_cast<std::uint64_t>(bytes) >> 4 & 0x3fff; };
  const std::uint64_t swizzle = (4 - static_cast<std::uint64_t>(fields.swizzle)) & 3;
  return {units(fields.address) | units(fields.leading_bytes) << 16 |
          units(fields.stride_bytes) << 32 | swizzle << 62};
}

constexpr MatrixDescriptorFields decode(MatrixDescriptor descriptor) {
  const auto bytes = [&](int shift) {
    return static_cast<std::uint32_t>(descriptor.bits >> shift & 0x3fff) << 4;
  };
  return {bytes(0), static_cast<int>(bytes(16)), static_cast<int>(bytes(32)),
          static_cast<SwizzleMode>((4 - (descriptor.bits >> 62)) & 3)};
}

}  // namespace core
