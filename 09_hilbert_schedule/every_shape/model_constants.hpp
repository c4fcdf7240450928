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
    .launch = 3.713,
    .cluster = 0.4605,
    .stream_k = 1.54,
    .partial_bytes = 5.666e+04,
    .store = 0.1032,
    .store_bytes = 6.024e+06,
    .store_transposed = 0.005744,
    .store_deferred = 1.126,
    .last_store = 0.7355,
    .gap = {80.23, 85.31, 127},
    .peers = 0.1567,
    .drift = 0.0008928,
    .smem = 0.9837,
    .cycles = 1630,
    .ask = {7.456e-06, 1.727, 2.601},
    .get = {0.001215, 0.1226, 0.04068},
    .narrow = 1.317,
    .spread = {0.8974, 1.026, 1.722},
    .l2_bytes = 5.532e+06,
    .together = 0.6533,
    .dram = 0.7684,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
inline constexpr TilingFactor kFactors[] = {
    {"128x112_transposed_4x2", 0.814},
    {"128x128", 0.758},
    {"128x128_2x2", 0.799},
    {"128x128_transposed_4x2", 0.797},
    {"128x144", 0.782},
    {"128x144_4x2", 0.830},
    {"128x144_transposed", 0.780},
    {"128x144_transposed_4x2", 0.814},
    {"128x160", 0.781},
    {"128x176_transposed", 0.813},
    {"128x192", 0.791},
    {"128x192_tma", 0.768},
    {"128x208_tma_transposed", 0.801},
    {"128x208_tma_transposed_2x1", 0.835},
    {"128x208_transposed_4x1", 0.868},
    {"128x224_deferred", 0.788},
    {"128x240_tma_transposed", 0.801},
    {"128x240_transposed_2x1", 0.850},
    {"128x240_transposed_2x2", 0.861},
    {"128x240_transposed_stream_k", 0.837},
    {"128x256_tma", 0.796},
    {"128x48_transposed", 0.755},
    {"128x64", 0.715},
    {"128x64_1x4", 0.743},
    {"128x80_transposed", 0.782},
    {"128x80_transposed_4x2", 0.804},
    {"128x96", 0.749},
    {"128x96_1x4", 0.761},
    {"128x96_4x2", 0.783},
    {"128x96_transposed_2x4", 0.793},
    {"128x96_transposed_4x2", 0.793},
    {"192x160_deferred", 0.778},
    {"192x192_tma", 0.802},
    {"192x64", 0.733},
    {"192x96_transposed", 0.804},
    {"64x128", 0.726},
    {"64x128_stream_k", 0.786},
    {"64x144_transposed", 0.756},
    {"64x160_transposed_4x2", 0.816},
    {"64x160_transposed_4x2_stream_k", 0.825},
    {"64x192", 0.735},
    {"64x224", 0.757},
    {"64x32", 0.711},
    {"64x32_stream_k", 0.798},
    {"64x48_transposed", 0.737},
    {"64x48_transposed_stream_k", 0.823},
    {"64x64", 0.706},
    {"64x64_2x2", 0.801},
    {"64x64_stream_k", 0.794},
    {"64x96", 0.726},
    {"64x96_4x2", 0.839},
    {"64x96_transposed_4x2", 0.839},
};

}  // namespace every_shape
