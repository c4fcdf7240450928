// The hopper kernel with bugs in layouts and in who takes part.

#include "planted.hpp"

std::vector<gallery::Exhibit> gallery::hopper_layout() {
  return {
      hopper<Bug::kSwizzleMode>("swizzle_mode",
                                "matrix descriptors say 64-byte swizzle, tensor maps 128-byte"),
      hopper<Bug::kUnalignedTile>("unaligned_tile",
                                  "tiles start 512 bytes into the swizzle's 1024-byte pattern"),
      hopper<Bug::kStrides>("strides", "LBO and SBO of the matrix descriptors swapped"),
      hopper<Bug::kFourProducers>("four_producers",
                                  "elect_one() in all four warps of the producer's warpgroup"),
      hopper<Bug::kArrivalCount>("arrival_count",
                                 "empty barriers made for one consumer instead of two"),
  };
}
