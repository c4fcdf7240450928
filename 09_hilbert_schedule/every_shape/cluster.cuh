#pragma once
// Who is who in a cluster, and which blocks share which tiles.

#include <gpu/cluster.hpp>

namespace every_shape {

// CM x CN blocks on CM x CN neighbouring tiles of C, ranks row by row. Blocks of a row want the
// same tiles of A, blocks of a column the same tiles of B. Split-K: kParts times as many, each CM x
// CN of them for a part of K. 1 x 1 x 1: no cluster.
template <int CM_, int CN_, int kParts_ = 1>
struct Cluster {
  static constexpr int CM = CM_, CN = CN_, kParts = kParts_, kOfPart = CM * CN;
  static constexpr int kSize = kOfPart * kParts;
  static constexpr bool kMulticast = kOfPart > 1;
  // The blocks that a block multicasts to, or that multicast to it: those of its row and of its
  // column, itself once.
  static constexpr int kPeers = CM + CN - 1;

  static __device__ int rank() {
    if constexpr (kSize == 1) return 0;
    return static_cast<int>(gpu::cluster_rank());
  }

  static constexpr int part(int rank) { return rank / kOfPart; }
  static constexpr int row(int rank) { return rank % kOfPart / CN; }
  static constexpr int col(int rank) { return rank % CN; }
  // The block of part `part` that has the same tile.
  static constexpr int same_tile(int rank, int part) { return part * kOfPart + rank % kOfPart; }

  // Bit r for rank r.
  static constexpr unsigned row_mask(int rank) { return ((1u << CN) - 1) << (rank / CN * CN); }
  static constexpr unsigned col_mask(int rank) {
    unsigned mask = 0;
    for (int i = 0; i < CM; ++i) mask |= 1u << (i * CN + col(rank));
    return mask << (part(rank) * kOfPart);
  }

  // The rank of peer CTA `i` of kPeers: first the row, then what else is in the column.
  static constexpr int peer(int rank, int i) {
    if (i < CN) return rank / CN * CN + i;
    const int other_row = i - CN + (i - CN >= row(rank) ? 1 : 0);
    return part(rank) * kOfPart + other_row * CN + col(rank);
  }
};

}  // namespace every_shape
