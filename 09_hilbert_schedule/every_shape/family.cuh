#pragma once
// Short names for the lists of tilings in family_*.cu.

#include "build_tiling.cuh"

namespace every_shape {

template <int BM, int BN, int CM, int CN>
using C = Clustered<CM, CN, StoredAtOnce<BM, BN>>;
template <int BM, int BN, int CM = 1, int CN = 1>
using ByTma = AtOnceByTma<BM, BN, CM, CN>;
template <int BM, int BN, int CM = 1, int CN = 1>
using T = TransposedAtOnce<BM, BN, CM, CN>;

}  // namespace every_shape
