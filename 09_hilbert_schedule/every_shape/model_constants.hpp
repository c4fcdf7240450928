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
    .launch = 3.4,
    .cluster = 0.7096,
    .stream_k = 2.033,
    .partial_bytes = 6.398e+04,
    .store = 0.101,
    .store_bytes = 5.1e+06,
    .store_transposed = 0.002381,
    .store_deferred = 0.9372,
    .last_store = 0.6977,
    .gap = {76.45, 75.18, 120},
    .peers = 1.007,
    .drift = 0.0005673,
    .smem = 1.017,
    .cycles = 1736,
    .ask = {2.098e-05, 1.384, 3.024},
    .get = {0.001553, 0.9817, 0.7367},
    .narrow = 1.421,
    .spread = {0.9802, 1.042, 1.702},
    .l2_bytes = 6.625e+06,
    .together = 0.6594,
    .dram = 0.7892,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
inline constexpr TilingFactor kFactors[] = {
    {"128x112_transposed_4x2", 0.857},
    {"128x128", 0.812},
    {"128x128_2x2", 0.849},
    {"128x128_transposed_4x2", 0.830},
    {"128x144", 0.840},
    {"128x144_4x2", 0.883},
    {"128x144_transposed", 0.838},
    {"128x144_transposed_4x2", 0.847},
    {"128x160", 0.838},
    {"128x176_transposed", 0.875},
    {"128x192", 0.848},
    {"128x192_tma", 0.835},
    {"128x208_tma_transposed", 0.876},
    {"128x208_tma_transposed_2x1", 0.884},
    {"128x208_transposed_4x1", 0.911},
    {"128x224_deferred", 0.855},
    {"128x240_tma_transposed", 0.872},
    {"128x240_transposed_2x1", 0.902},
    {"128x240_transposed_2x2", 0.895},
    {"128x240_transposed_stream_k", 0.897},
    {"128x256_tma", 0.864},
    {"128x48_transposed", 0.804},
    {"128x64", 0.764},
    {"128x64_1x4", 0.778},
    {"128x80_transposed", 0.831},
    {"128x80_transposed_4x2", 0.860},
    {"128x96", 0.798},
    {"128x96_1x4", 0.808},
    {"128x96_4x2", 0.833},
    {"128x96_transposed_2x4", 0.831},
    {"128x96_transposed_4x2", 0.841},
    {"192x160_deferred", 0.843},
    {"192x192_tma", 0.868},
    {"192x192_tma_transposed_2x1", 0.858},
    {"192x64", 0.778},
    {"192x96_transposed", 0.850},
    {"64x128", 0.776},
    {"64x128_stream_k", 0.816},
    {"64x144_transposed", 0.806},
    {"64x160_transposed_4x2", 0.861},
    {"64x160_transposed_4x2_stream_k", 0.865},
    {"64x192", 0.786},
    {"64x224", 0.811},
    {"64x32", 0.759},
    {"64x32_stream_k", 0.821},
    {"64x48_transposed", 0.788},
    {"64x48_transposed_stream_k", 0.845},
    {"64x64", 0.757},
    {"64x64_2x2", 0.826},
    {"64x64_stream_k", 0.816},
    {"64x96", 0.777},
    {"64x96_4x2", 0.863},
    {"64x96_transposed_4x2", 0.868},
};

}  // namespace every_shape
