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
    .launch = 3.671,
    .cluster = 0.2057,
    .stream_k = 1.057,
    .partial_bytes = 4.626e+04,
    .store = 0.08042,
    .store_bytes = 1.001e+07,
    .store_transposed = 0.05322,
    .store_deferred = 0.5102,
    .last_store = 0.6677,
    .gap = {89.24, 92.6, 126.4},
    .peers = 0.008912,
    .drift = 0.002096,
    .smem = 0.8843,
    .cycles = 1728,
    .ask = {2.159e-06, 0.6071, 2.201},
    .get = {0.001224, 9.462e-05, 0.5896},
    .narrow = 1.835,
    .spread = {0.7728, 1.035, 1.574},
    .l2_bytes = 6.418e+06,
    .together = 0.472,
    .dram = 0.7741,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
inline constexpr TilingFactor kFactors[] = {
    {"128x104_transposed", 0.809},
    {"128x120_transposed_4x2", 0.851},
    {"128x128", 0.804},
    {"128x128_transposed_4x2", 0.843},
    {"128x144", 0.830},
    {"128x144_4x2", 0.871},
    {"128x144_transposed", 0.819},
    {"128x144_transposed_4x2", 0.859},
    {"128x152_transposed_4x2", 0.887},
    {"128x160", 0.830},
    {"128x168_transposed", 0.839},
    {"128x176_transposed", 0.827},
    {"128x192_tma", 0.823},
    {"128x208_tma_transposed", 0.840},
    {"128x224_2x1", 0.899},
    {"128x224_deferred", 0.837},
    {"128x240_tma_transposed", 0.847},
    {"128x240_transposed_2x1", 0.890},
    {"128x256_tma", 0.847},
    {"128x272_transposed_2x1", 0.917},
    {"128x64", 0.755},
    {"128x64_1x4", 0.780},
    {"128x72_transposed", 0.804},
    {"128x80_transposed", 0.799},
    {"128x80_transposed_4x2", 0.840},
    {"128x88_transposed", 0.796},
    {"128x96", 0.790},
    {"128x96_1x4", 0.797},
    {"128x96_4x2", 0.828},
    {"128x96_transposed_2x4", 0.841},
    {"128x96_transposed_4x2", 0.838},
    {"192x144_transposed_2x1", 0.888},
    {"192x144_transposed_4x2", 0.881},
    {"192x160_deferred", 0.835},
    {"192x192_tma", 0.854},
    {"192x192_transposed_2x1", 0.890},
    {"192x208_transposed_2x1", 0.923},
    {"192x64", 0.767},
    {"64x120_transposed", 0.777},
    {"64x160_transposed_4x2_stream_k", 0.876},
    {"64x192", 0.779},
    {"64x32", 0.750},
    {"64x32_stream_k", 0.834},
    {"64x32_transposed_stream_k", 0.860},
    {"64x48_transposed", 0.774},
    {"64x48_transposed_2x4", 0.867},
    {"64x64", 0.743},
    {"64x64_2x2", 0.815},
    {"64x64_stream_k", 0.830},
    {"64x80_transposed_2x4", 0.869},
    {"64x88_transposed", 0.774},
    {"64x96", 0.765},
    {"64x96_4x2", 0.859},
    {"64x96_transposed_4x2", 0.848},
};

}  // namespace every_shape
