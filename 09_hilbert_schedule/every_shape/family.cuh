#pragma once
// What the lists of tilings in family_*.cu are called, and short names for what is in them.

#include "build_tiling.cuh"

namespace every_shape {

using Family = std::vector<BuiltTiling>;
Family family_stored_at_once(), family_deferred(), family_deferred_transposed(),
    family_deferred_pairs(), family_by_tma_64(), family_by_tma(), family_transposed_64(),
    family_transposed(), family_pairs(), family_clusters_transposed(),
    family_pairs_192_transposed(), family_clusters(), family_clusters_192(),
    family_clusters_64_transposed(), family_eights_transposed(), family_split_k(),
    family_split_k_transposed(), family_ping_pong_64(), family_ping_pong(),
    family_ping_pong_clusters(), family_ping_pong_transposed(),
    family_ping_pong_clusters_transposed();

// Stored at once by the threads; by TMA; of the transpose; in clusters; deferred; deferred in
// clusters; by stream-K; by split-K; by consumers that take turns, stored by the threads, by TMA,
// and of the transpose.
template <int BM, int BN>
using S = StoredAtOnce<BM, BN>;
template <int BM, int BN, int CM = 1, int CN = 1>
using B = AtOnceByTma<BM, BN, CM, CN>;
template <int BM, int BN, int CM = 1, int CN = 1, int MMA_N = BN>
using T = TransposedAtOnce<BM, BN, CM, CN, MMA_N>;
template <int BM, int BN, int CM, int CN>
using C = Clustered<CM, CN, S<BM, BN>>;
template <int BM, int BN>
using D = DeferredByTma<BM, BN>;
template <int BM, int BN, int CM, int CN>
using DC = Clustered<CM, CN, D<BM, BN>>;
template <class Base>
using K = StreamK<Base>;
template <int kParts, class Base>
using P = SplitK<kParts, Base>;
template <int BM, int BN, int CM = 1, int CN = 1>
using PD = PingPongDirect<BM, BN, CM, CN>;
template <int BM, int BN, int CM = 1, int CN = 1>
using PB = PingPongByTma<BM, BN, CM, CN>;
template <int BM, int BN, int CM = 1, int CN = 1>
using PT = Transposed<PingPongByTma<BM, BN, CM, CN>>;

}  // namespace every_shape
