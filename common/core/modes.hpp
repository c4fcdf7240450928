#pragma once
// How a tile lies in memory, and how TMA and wgmma find it there.

#include <core/error.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace core {

// Along what an operand, A (M, K) or B (N, K), is contiguous in memory: K, or M or N.
enum class Major { kK, kMn };

// PTX .cta and .cluster.
enum class Scope { kBlock, kCluster };

// The four ways in which TMA can lay out a tile's rows in shared memory, and wgmma read them. In a
// row of 32, 64 or 128 bytes, 16-byte pieces trade places: address bits 4 (4-5, 4-6) are XORed with
// bits 7 (7-8, 7-9). So tiles start at multiples of 256, 512 and 1024 bytes.
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
};

// `address` in bytes as shared memory counts them. Address, LBO and SBO lose their last four bits.
constexpr MatrixDescriptor encode(const MatrixDescriptorFields& fields) {
  const auto units = [](auto bytes) { return static_cast<std::uint64_t>(bytes) >> 4 & 0x3fff; };
  const std::uint64_t swizzle = (4 - static_cast<std::uint64_t>(fields.swizzle)) & 3;
  return {units(fields.address) | units(fields.leading_bytes) << 16 |
          units(fields.stride_bytes) << 32 | swizzle << 62};
}

constexpr MatrixDescriptorFields decode(MatrixDescriptor descriptor) {
  const auto units = [&](int at) { return static_cast<int>(descriptor.bits >> at & 0x3fff); };
  return {static_cast<std::uint32_t>(16 * units(0)), 16 * units(16), 16 * units(32),
          static_cast<SwizzleMode>((4 - (descriptor.bits >> 62)) & 3)};
}

// How much of the neighbourhood of a missed line the L2 fetches with it.
enum class L2Promotion : std::uint8_t { kNone, k64B, k128B, k256B };

// What a TMA tensor map describes: a tensor of rank 2 to 5 in global memory and the box that one
// instruction moves. Everything counts from the innermost (contiguous) dimension.
struct TensorMapShape {
  int rank = 2;
  std::array<std::uint64_t, 5> size = {};          // elements
  std::array<std::uint64_t, 5> stride_bytes = {};  // [0] is not looked at: elements are contiguous
  std::array<std::uint32_t, 5> box = {};           // elements
  SwizzleMode swizzle = SwizzleMode::kNone;
  L2Promotion promotion = L2Promotion::k128B;
};

// The hardware's rules for it (CUDA driver API, cuTensorMapEncodeTiled), stated once for both
// backends. Throws core::Refused with the first that is broken.
inline void require_valid(const TensorMapShape& shape, const void* base, int element_bytes) {
  const auto require = [](bool holds, const std::string& what, auto is, const std::string& rule) {
    if (!holds) throw Refused("tensor map: " + what + " is " + std::to_string(is) + rule);
  };
  require(shape.rank >= 2 && shape.rank <= 5, "rank", shape.rank, ", must be 2 to 5");
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  require(address % 16 == 0, "the base address", address, ", must be a multiple of 16 bytes");
  for (int d = 0; d < shape.rank; ++d) {
    const std::string of = " of dimension " + std::to_string(d);
    const std::uint64_t size = shape.size[d], stride = d > 0 ? shape.stride_bytes[d] : 0;
    require(size >= 1 && size <= 1ull << 32, "size" + of, size, ", must be 1 to 2^32");
    require(stride % 16 == 0 && stride < 1ull << 40, "stride" + of, stride,
            ", must be a multiple of 16 bytes, and below 2^40");
    require(shape.box[d] >= 1 && shape.box[d] <= 256, "box" + of, shape.box[d],
            ", must be 1 to 256");
  }
  const int row = static_cast<int>(shape.box[0]) * element_bytes, span = span_bytes(shape.swizzle);
  require(row % 16 == 0, "the box's row", row, " bytes, must be a multiple of 16");
  require(
      shape.swizzle == SwizzleMode::kNone || row <= span, "the box's row", row,
      " bytes, with a " + to_string(shape.swizzle) + " swizzle at most " + std::to_string(span));
}

}  // namespace core
