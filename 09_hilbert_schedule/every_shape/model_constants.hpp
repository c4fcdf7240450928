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
    .launch = 3.078,
    .cluster = 0.6923,
    .stream_k = 1.731,
    .partial_bytes = 8.815e+04,
    .store = 0.1303,
    .store_bytes = 7.836e+06,
    .store_transposed = 0.04669,
    .store_deferred = 0.8181,
    .last_store = 0.3405,
    .gap = {74.29, 101.5, 125.8},
    .peers = 10.18,
    .drift = 0.0004604,
    .smem = 1.025,
    .cycles = 2132,
    .ask = {0.002519, 1.707, 3.4},
    .get = {0.004137, 0.8229, 1.609},
    .narrow = 1.173,
    .l2_bytes = 7.36e+06,
    .together = 0.6736,
    .dram = 0.9512,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
inline constexpr TilingFactor kFactors[] = {
    {"128x128", 0.941},
    {"128x128_2x2", 0.976},
    {"128x144", 0.978},
    {"128x144_4x2", 1.012},
    {"128x144_transposed", 0.975},
    {"128x160", 0.978},
    {"128x176_transposed", 1.025},
    {"128x192", 0.996},
    {"128x192_stream_k", 1.003},
    {"128x192_tma", 0.983},
    {"128x208", 1.017},
    {"128x208_tma_transposed", 1.023},
    {"128x224_deferred", 1.005},
    {"128x240_tma_transposed", 1.023},
    {"128x240_transposed", 1.044},
    {"128x240_transposed_2x1", 1.072},
    {"128x240_transposed_stream_k", 1.054},
    {"128x256_tma", 1.011},
    {"128x48_transposed", 0.909},
    {"128x64", 0.863},
    {"128x64_1x4", 0.869},
    {"128x80_transposed", 0.943},
    {"128x80_transposed_stream_k", 0.994},
    {"128x96", 0.922},
    {"128x96_1x4", 0.921},
    {"128x96_4x2", 0.933},
    {"128x96_transposed_4x2", 0.950},
    {"192x160_deferred", 1.002},
    {"192x192_tma", 1.037},
    {"192x64", 0.907},
    {"192x96_transposed", 0.997},
    {"64x128", 0.893},
    {"64x128_4x2", 0.917},
    {"64x128_stream_k", 0.963},
    {"64x144_transposed", 0.936},
    {"64x160", 0.933},
    {"64x160_transposed_4x2", 0.990},
    {"64x160_transposed_4x2_stream_k", 0.995},
    {"64x192", 0.912},
    {"64x192_transposed_4x2", 1.008},
    {"64x224", 0.944},
    {"64x32", 0.869},
    {"64x32_stream_k", 0.952},
    {"64x48_transposed", 0.904},
    {"64x48_transposed_stream_k", 0.977},
    {"64x64", 0.869},
    {"64x64_2x2", 0.941},
    {"64x64_stream_k", 0.951},
    {"64x96", 0.895},
    {"64x96_4x2", 0.964},
    {"64x96_transposed_4x2", 0.981},
};

}  // namespace every_shape
