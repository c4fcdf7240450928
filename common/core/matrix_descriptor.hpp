#pragma once
// The 64 bits by which wgmma finds an operand in shared memory (PTX ISA, "Matrix Descriptor").

#include <core/modes.hpp>

#include <cstdint>

namespace core {

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
  const auto units = [](std::uint32_t bytes) -> std::uint64_t { return bytes >> 4 & 0x3fff; };
  const std::uint64_t swizzle = (4 - static_cast<std::uint64_t>(fields.swizzle)) & 3;
  return {units(fields.address) | units(static_cast<std::uint32_t>(fields.leading_bytes)) << 16 |
          units(static_cast<std::uint32_t>(fields.stride_bytes)) << 32 | swizzle << 62};
}

constexpr MatrixDescriptorFields decode(MatrixDescriptor descriptor) {
  const auto bytes = [&](int shift) {
    return static_cast<std::uint32_t>(descriptor.bits >> shift & 0x3fff) << 4;
  };
  return {bytes(0), static_cast<int>(bytes(16)), static_cast<int>(bytes(32)),
          static_cast<SwizzleMode>((4 - (descriptor.bits >> 62)) & 3)};
}

}  // namespace core
