#pragma once
// Tensor maps of the box tests, and the part of shared memory that kernels move boxes to and from.

#include "device.hpp"
#include "tma_box.hpp"

#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>

#include <vector>

namespace words {

struct Coordinates {
  int at[5];
};

inline Coordinates coordinates(const BoxTest& test) {
  Coordinates out;
  for (int d = 0; d < 5; ++d) out.at[d] = test.at[d];
  return out;
}

inline gpu::TensorMap tensor_map(const BoxTest& test, const unsigned char* base) {
  switch (test.element) {
    case Element::kBf16:
      return gpu::make_tensor_map(reinterpret_cast<const core::bf16*>(base), test.shape);
    case Element::kFp16:
      return gpu::make_tensor_map(reinterpret_cast<const core::fp16*>(base), test.shape);
    case Element::kFloat:
      break;
  }
  return gpu::make_tensor_map(reinterpret_cast<const float*>(base), test.shape);
}

// A tile and its margins, at most; launched with as much of it as the tile needs.
struct TileStorage {
  gpu::Mbarrier full;
  alignas(1024) std::uint32_t words[(2 * kTileMargin + kLargestTile) / 4];
  constexpr std::uint32_t* tile() { return words + kTileMargin / 4; }
};

// The tile and its margins, in words.
inline int region_words(const BoxTest& test) {
  return (2 * kTileMargin + static_cast<int>(test.tile_bytes())) / 4;
}

}  // namespace words
