#pragma once
// What a TMA tensor map describes, and the hardware's rules for it (CUDA driver API,
// cuTensorMapEncodeTiled), stated once for both backends.

#include <core/error.hpp>
#include <core/modes.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace core {

// How much of the neighbourhood of a missed line the L2 fetches with it.
enum class L2Promotion : std::uint8_t { kNone, k64B, k128B, k256B };

// A tensor of rank 2 to 5 in global memory and the box that one instruction moves. Everything
// counts from the innermost (contiguous) dimension.
struct TensorMapShape {
  int rank = 2;
  std::array<std::uint64_t, 5> size = {};          // elements
  std::array<std::uint64_t, 5> stride_bytes = {};  // [0] is not looked at: elements are contiguous
  std::array<std::uint32_t, 5> box = {};           // elements
  SwizzleMode swizzle = SwizzleMode::kNone;
  L2Promotion promotion = L2Promotion::k128B;
};

// Throws core::Refused with the first rule that is broken:
//   rank 2 to 5; base a multiple of 16 bytes; sizes 1 to 2^32; strides multiples of 16 bytes below
//   2^40; boxes 1 to 256 elements; the box's inner row a multiple of 16 bytes and, with a swizzle,
//   no longer than the swizzle's.
inline void require_valid(const TensorMapShape& shape, const void* base, int element_bytes) {
  const auto require = [](bool holds, const std::string& what, std::uint64_t is,
                          const std::string& rule) {
    if (!holds) throw Refused("tensor map: " + what + " is " + std::to_string(is) + rule);
  };
  const auto rank = static_cast<std::uint64_t>(shape.rank);
  require(rank >= 2 && rank <= 5, "rank", rank, ", must be 2 to 5");
  if (reinterpret_cast<std::uintptr_t>(base) % 16 != 0) {
    throw Refused("tensor map: the base address must be a multiple of 16 bytes");
  }
  for (int d = 0; d < shape.rank; ++d) {
    const std::string of = " of dimension " + std::to_string(d);
    const std::uint64_t size = shape.size[d], stride = d > 0 ? shape.stride_bytes[d] : 0;
    require(size >= 1 && size <= 1ull << 32, "size" + of, size, ", must be 1 to 2^32");
    require(stride % 16 == 0 && stride < 1ull << 40, "stride" + of, stride,
            ", must be a multiple of 16 bytes, and below 2^40");
    require(shape.box[d] >= 1 && shape.box[d] <= 256, "box" + of, shape.box[d],
            ", must be 1 to 256");
  }
  const std::uint64_t row = std::uint64_t{shape.box[0]} * static_cast<std::uint64_t>(element_bytes);
  require(row % 16 == 0, "the box's row", row, " bytes, must be a multiple of 16");
  const auto span = static_cast<std::uint64_t>(span_bytes(shape.swizzle));
  require(
      shape.swizzle == SwizzleMode::kNone || row <= span, "the box's row", row,
      " bytes, with a " + to_string(shape.swizzle) + " swizzle at most " + std::to_string(span));
}

}  // namespace core
