#pragma once
// Stream-K (Osama et al., arXiv:2301.03598): which k-tiles of the last wave's tiles a cluster
// computes, where tiles are too few for all.

#include "divisor.hpp"

#include <gpu/thread.hpp>

#include <algorithm>
#include <cmath>

namespace every_shape {

// Fewer k-tiles are not worth a partial result of their own.
inline constexpr int kFewestKTiles = 4;

// `clusters` of them compute `whole` tiles, one wave after the other, and share out the k-tiles of
// those that are left, in one of two ways. Either every tile has so many `parts`, each of a
// cluster. Or there are more tiles than half of the clusters: then each tile's first k-tiles belong
// to one cluster, and `helpers` of them compute what is left of all, several tiles each. In both
// ways neighbours are at the same place along K, and load rows in common. (Ranges that begin
// anywhere, as the paper has them, would be shorter by a little, but the L2 would be asked for
// everything by everybody.)
struct StreamKShares {
  int clusters = 0, whole = 0, rest = 0;  // rest: tiles whose k-tiles are shared out
  int parts = 1, helpers = 0;
  int k_tiles = 0, own = 0;  // of a tile; helpers > 0: those that its own cluster computes
  Divisor by_rest;

  StreamKShares() = default;
  // For a device that holds `most` clusters at once.
  StreamKShares(int tiles, int tile_k_tiles, int most)
      : clusters(std::min(tiles, most)), whole(tiles), k_tiles(tile_k_tiles) {
    const int left = tiles == 0 ? 0 : tiles % most;
    if (left == 0) return;
    // One cluster adds up all parts of a tile, which takes it about as long for each as two k-tiles
    // take it to compute.
    const int most_parts = std::min(tile_k_tiles / kFewestKTiles,
                                    static_cast<int>(std::lround(std::sqrt(tile_k_tiles / 2.0))));
    parts = std::clamp(most / left, 1, std::max(1, most_parts));
    if (parts <= 1 && most_parts >= 2) {
      constexpr int kMostTiles = 4;  // of a helper: it would save less than a fifth of a tile
      int each = 2;
      while (each <= kMostTiles && left + (left + each - 1) / each > most) ++each;
      if (each <= kMostTiles && tile_k_tiles / (each + 1) >= kFewestKTiles) {
        parts = 2;
        helpers = (left + each - 1) / each;
        own = tile_k_tiles - tile_k_tiles / (each + 1);
      }
    }
    if (parts <= 1) return;
    whole = tiles - left, rest = left;
    by_rest = Divisor(left);
    clusters = std::max(whole > 0 ? most : 0, helpers > 0 ? left + helpers : left * parts);
  }

  // The share of a cluster: it begins with this tile of the rest, and this part of it. Parts with
  // higher numbers, which the first one waits for, belong to clusters with lower ones: of blocks
  // that wait for others, only those wait that were started later. Clusters without a share: tile
  // -1.
  struct Share {
    int tile, part;
  };
  __device__ Share share_of(int cluster) const {
    if (helpers > 0) {
      const int tile = cluster - helpers;
      return tile < 0 ? Share{cluster, 1} : Share{tile < rest ? tile : -1, 0};
    }
    const int place = rest * parts - 1 - cluster;
    if (place < 0) return {-1, 0};
    const int part = by_rest.divide(place);
    return {place - part * rest, part};
  }
  // The first k-tile of a part, of which the one behind the last is the tile's end.
  constexpr int begin(int part) const {
    return helpers > 0 ? (part == 0 ? 0 : part == 1 ? own : k_tiles) : k_tiles * part / parts;
  }
};

}  // namespace every_shape
