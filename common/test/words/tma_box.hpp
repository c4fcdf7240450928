#pragma once
// What a TMA copy of one box does, element by element, worked out on the host (PTX ISA, "Tensors";
// CUDA driver API, "Tensor Map Object Management").

#include "random.hpp"

#include <core/tensor_map_shape.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace words {

enum class Element { kBf16, kFp16, kFloat };

struct BoxTest {
  std::string name;  // "rank.type.swizzle/where"
  Element element = Element::kBf16;
  core::TensorMapShape shape;  // strides filled in
  int at[5] = {};

  int element_bytes() const { return element == Element::kFloat ? 4 : 2; }
  std::uint32_t box_bytes() const;   // what the barrier is told
  std::uint32_t tile_bytes() const;  // from the first byte in shared memory to the last
  std::size_t tensor_bytes() const;
};

// One element of a box: its byte in the tile in shared memory and in the tensor.
struct BoxElement {
  std::uint32_t tile_byte;
  std::int64_t tensor_byte;
  bool inside;  // of the tensor: zero is loaded and nothing stored where it is not
};

std::vector<BoxElement> elements(const BoxTest& test);

// Every element type and swizzle; boxes inside, across each edge, wholly outside; ranks 2 to 5, odd
// sizes in padded rows. Every inner row is as long as the swizzle's span.
std::vector<BoxTest> box_tests();
// Inner rows shorter than the swizzle's span.
std::vector<BoxTest> short_row_tests();

// The tile in shared memory has margins around it, and so has the tensor in device memory, which
// starts at a multiple of 16 bytes and no more.
constexpr int kTileMargin = 1024;
constexpr int kTensorMargin = 1040;
constexpr int kLargestTile = 32 * 1024;

// `tile` is the tile with its margins as it was, `tensor` likewise: what a load makes of the one,
// a store of the other.
void expect_load(const BoxTest& test, const std::vector<unsigned char>& tensor,
                 std::vector<unsigned char>& tile);
void expect_store(const BoxTest& test, const std::vector<unsigned char>& tile,
                  std::vector<unsigned char>& tensor);

}  // namespace words
