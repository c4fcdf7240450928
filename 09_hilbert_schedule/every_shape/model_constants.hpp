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
  double l2_bytes;        // that all SMs load in a microsecond
  double together;        // the part of them that the SMs of a GPC ask for once
  double dram;            // of the bytes that the DRAM could load or store, how many it does
};

inline constexpr ModelConstants kModel = {
    .launch = 3.115,
    .cluster = 0.6698,
    .stream_k = 1.824,
    .partial_bytes = 8.145e+04,
    .store = 0.1315,
    .store_bytes = 7.118e+06,
    .store_transposed = 0.0347,
    .store_deferred = 0.6689,
    .last_store = 0.3295,
    .gap = {48.04, 106.3, 150.6},
    .peers = 13.02,
    .drift = 0.0004075,
    .smem = 1,
    .cycles = 2156,
    .ask = {0.02232, 1.864, 3.553},
    .get = {0.266, 0.9262, 1.583},
    .narrow = 1.326,
    .l2_bytes = 6.798e+06,
    .together = 0.701,
    .dram = 0.9109,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
inline constexpr TilingFactor kFactors[] = {
    {"128x128", 0.918},
    {"128x128_2x2", 0.958},
    {"128x144", 0.956},
    {"128x144_4x2", 0.999},
    {"128x144_transposed", 0.957},
    {"128x160", 0.959},
    {"128x176_transposed", 1.009},
    {"128x192", 0.980},
    {"128x192_stream_k", 0.984},
    {"128x192_tma", 0.980},
    {"128x208", 1.004},
    {"128x208_tma_transposed", 1.021},
    {"128x224_deferred", 0.999},
    {"128x240_tma_transposed", 1.019},
    {"128x240_transposed", 1.028},
    {"128x240_transposed_2x1", 1.058},
    {"128x240_transposed_stream_k", 1.035},
    {"128x256_tma", 1.009},
    {"128x48_transposed", 0.887},
    {"128x64", 0.850},
    {"128x64_1x4", 0.860},
    {"128x80_transposed", 0.915},
    {"128x80_transposed_stream_k", 0.963},
    {"128x96", 0.900},
    {"128x96_1x4", 0.905},
    {"128x96_4x2", 0.913},
    {"128x96_transposed_4x2", 0.937},
    {"192x160_deferred", 0.996},
    {"192x192_tma", 1.029},
    {"192x64", 0.894},
    {"192x96_transposed", 0.967},
    {"64x128", 0.877},
    {"64x128_4x2", 0.939},
    {"64x128_stream_k", 0.931},
    {"64x144_transposed", 0.928},
    {"64x160", 0.914},
    {"64x160_transposed_4x2", 1.009},
    {"64x160_transposed_4x2_stream_k", 1.008},
    {"64x192", 0.898},
    {"64x192_transposed_4x2", 1.022},
    {"64x224", 0.930},
    {"64x32", 0.867},
    {"64x32_stream_k", 0.949},
    {"64x48_transposed", 0.902},
    {"64x48_transposed_stream_k", 0.959},
    {"64x64", 0.866},
    {"64x64_2x2", 0.953},
    {"64x64_stream_k", 0.926},
    {"64x96", 0.889},
    {"64x96_4x2", 0.982},
    {"64x96_transposed_4x2", 0.989},
};

}  // namespace every_shape
