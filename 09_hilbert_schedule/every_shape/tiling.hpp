#pragma once
// What a tiling is, as a name says it.

#include <string>

namespace every_shape {

// A way to cut C: rows x cols of it for a block, stored at once or beside the next tile's MMAs. In
// a cluster share_a blocks load A together, or share_b blocks B. By stream-K blocks share out the
// k-tiles of the last waves; split_k blocks of a cluster those of each tile. By ping-pong two
// consumers of a block have a tile each, and take turns.
struct Tiling {
  int rows, cols;
  bool deferred = false, by_tma = false;
  int share_a = 1, share_b = 1;
  bool transposed = false;  // of C^T = B A^T
  bool stream_k = false;
  int split_k = 1;
  bool ping_pong = false;

  // As on the command line: "128x208_deferred", "128x176_by_tma", "64x128_2x1", "64x32_stream_k",
  // "64x64_2x1_split2", "128x160_pingpong".
  std::string name() const {
    std::string out = std::to_string(rows) + "x" + std::to_string(cols);
    if (deferred) out += by_tma ? "_tma" : "_deferred";
    if (ping_pong) out += "_pingpong";
    if (transposed) out += "_transposed";
    if (by_tma && !deferred && !transposed) out += "_by_tma";
    if (share_a * share_b > 1) {
      out += "_" + std::to_string(share_b) + "x" + std::to_string(share_a);
    }
    if (stream_k) out += "_stream_k";
    if (split_k > 1) out += "_split" + std::to_string(split_k);
    return out;
  }
};

}  // namespace every_shape
