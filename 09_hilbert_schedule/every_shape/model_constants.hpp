#pragma once
// What the model of choose.hpp is fitted by. Written by fit.py.

namespace every_shape {

struct ModelConstants {
  double launch;            // microseconds, with what a first k-tile takes to arrive
  double cluster;           // microseconds that a cluster adds
  double stream_k;          // microseconds that blocks of stream-K wait for each other,
  double partial_bytes;     // bytes of partial results that an SM stores or adds in a microsecond
  double store;             // microseconds of a wave whose tiles are stored at once,
  double store_bytes;       // and bytes that all SMs store in a microsecond
  double store_transposed;  // the same, of the transpose of C
  double store_deferred;    // microseconds of a wave whose tiles are stored beside the next ones,
  double last_store;        // and of the last one
  double gap[3];            // cycles of a k-tile between MMAs, by the rows of a tile / 64
  double peers;             // and cycles / sqrt(blocks) that a cluster's blocks wait for each other
  double drift;             // how much longer a cluster's k-tiles take with every wave
  double smem;              // cycles to read rows of 128 bytes from shared memory
  double cycles;            // of an SM in a microsecond
  double ask[3], get[3];  // cycles to ask for a row of 128 bytes and to get it, by alignment_class
  double narrow;          // how much longer rows in boxes of 16 take to ask for
  double spread[3];  // bytes that the L2 is asked for, by alignment_class, for each that is loaded
  double l2_bytes;   // that all SMs load in a microsecond
  double together;   // the part of them that the SMs of a GPC ask for once
  double dram;       // of the bytes that the DRAM could load or store, how many it does
};

inline constexpr ModelConstants kModel = {
    .launch = 2.654,
    .cluster = 0.3704,
    .stream_k = 1.01,
    .partial_bytes = 5.785e+04,
    .store = 0.06871,
    .store_bytes = 6.91e+06,
    .store_transposed = 0.03468,
    .store_deferred = 0.9371,
    .last_store = 0.7823,
    .gap = {65.28, 89.35, 166.2},
    .peers = 0.002783,
    .drift = 0.001183,
    .smem = 0.9983,
    .cycles = 1748,
    .ask = {1.512e-06, 1.667, 3.023},
    .get = {0.0007378, 3.652e-05, 0.5957},
    .narrow = 1.971,
    .spread = {0.872, 1.134, 1.402},
    .l2_bytes = 7.434e+06,
    .together = 0.4488,
    .dram = 0.7721,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
// clang-format off
inline constexpr TilingFactor kFactors[] = {
    {"128x104_by_tma", 0.850}, {"128x104_transposed", 0.822}, {"128x112_transposed_4x2", 0.866},
    {"128x120_transposed_2x4", 0.856}, {"128x128", 0.812}, {"128x128_transposed_4x2", 0.851},
    {"128x144", 0.825}, {"128x144_4x2", 0.888}, {"128x144_transposed", 0.824},
    {"128x144_transposed_4x2", 0.866}, {"128x152_transposed_4x2", 0.900}, {"128x160_1x2", 0.921},
    {"128x160_transposed", 0.866}, {"128x168_transposed", 0.853}, {"128x176_transposed", 0.844},
    {"128x184_transposed_4x2", 0.910}, {"128x192_2x1", 0.901}, {"128x192_tma", 0.828},
    {"128x200_transposed_4x2", 0.922}, {"128x208_tma_transposed", 0.846},
    {"128x216_transposed_4x2", 0.929}, {"128x224_2x1", 0.909}, {"128x224_deferred", 0.838},
    {"128x224_transposed_2x1", 0.925}, {"128x240_by_tma_2x1", 0.921},
    {"128x240_tma_transposed", 0.850}, {"128x256_tma", 0.849}, {"128x272_transposed_2x1", 0.933},
    {"128x64", 0.748}, {"128x64_1x4", 0.789}, {"128x72_by_tma_1x4", 0.868},
    {"128x72_transposed", 0.813}, {"128x72_transposed_4x2", 0.858}, {"128x80_transposed", 0.805},
    {"128x88_transposed", 0.804}, {"128x96", 0.796}, {"128x96_1x4", 0.816}, {"128x96_4x2", 0.851},
    {"128x96_transposed", 0.814}, {"128x96_transposed_2x4", 0.842},
    {"128x96_transposed_4x2", 0.841}, {"192x120_transposed_4x2", 0.856}, {"192x128", 0.842},
    {"192x136_transposed", 0.855}, {"192x160_1x2", 0.873}, {"192x160_deferred", 0.820},
    {"192x192_2x1", 0.888}, {"192x192_tma", 0.845}, {"192x208_transposed_2x1", 0.911},
    {"256x128_1x2", 0.878}, {"64x112_transposed", 0.793}, {"64x120_transposed", 0.785},
    {"64x136_transposed", 0.805}, {"64x160_transposed_4x2", 0.906},
    {"64x160_transposed_4x2_stream_k", 0.935}, {"64x192", 0.799}, {"64x224", 0.861},
    {"64x256", 0.843}, {"64x32", 0.755}, {"64x32_stream_k", 0.824},
    {"64x32_transposed_stream_k", 0.818}, {"64x48_transposed", 0.776},
    {"64x48_transposed_2x4", 0.929}, {"64x48_transposed_4x1", 0.847}, {"64x56_transposed", 0.782},
    {"64x56_transposed_2x4", 0.962}, {"64x64", 0.756}, {"64x64_stream_k", 0.817},
    {"64x64_transposed_2x4", 0.971}, {"64x72_by_tma", 0.801}, {"64x72_by_tma_2x4", 0.934},
    {"64x72_transposed_2x4", 0.973}, {"64x72_transposed_stream_k", 0.810},
    {"64x80_transposed", 0.784}, {"64x80_transposed_4x1", 0.845}, {"64x80_transposed_4x2", 0.925},
    {"64x80_transposed_stream_k", 0.792}, {"64x88_transposed", 0.777},
    {"64x88_transposed_stream_k", 0.808}, {"64x96", 0.790}, {"64x96_4x2", 0.927},
    {"64x96_stream_k", 0.869}, {"64x96_transposed", 0.785}, {"64x96_transposed_4x2", 0.889}
};

}  // namespace every_shape
