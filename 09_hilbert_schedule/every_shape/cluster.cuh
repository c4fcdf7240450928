#pragma once
// Who is who in a cluster, and which blocks share which tiles.

#include <gpu/cluster.hpp>

namespace every_shape {

// CM x CN blocks on CM x CN neighbouring tiles of C, ranks row by row. Blocks of a row want the
// same tiles of A, blocks of a column the same tiles of B. 1 x 1: no cluster.
template <int CM_, int CN_>
struct Cluster {
  static constexpr int CM = CM_, CN = CN_, kSize = CM * CN;
  // The blocks that a block multicasts to, or that multicast to it: those of its row and of its
  // column, itself once.
  static constexpr int kPeers = CM + CN - 1;

  static __device__ int rank() {
    if constexpr (kSize == 1) return 0;
    return static_cast<int>(gpu::cluster_rank());
  }

  static constexpr int row(int rank) { return rank / CN; }
  static constexpr int col(int rank) { return rank % CN; }

  // Bit r for rank r.
  static constexpr unsigned row_mask(int rank) { return ((1u << CN) - 1) << (row(rank) * CN); }
  static constexpr unsigned col_mask(int rank) {
    unsigned mask = 0;
    for (int i = 0; i < CM; ++i) mask |= 1u << (i * CN + col(rank));
    return mask;
  }

  // The rank of peer CTA `i` of kPeers: first the row, then what else is in the column.
  static constexpr int peer(int rank, int i) {
    if (i < CN) return row(rank) * CN + i;
    const int other_row = i - CN + (i - CN >= row(rank) ? 1 : 0);
    return other_row * CN + col(rank);
  }
};

}  // namespace every_shape
