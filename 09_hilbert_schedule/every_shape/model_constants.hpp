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
    .launch = 3.236,
    .cluster = 0.2678,
    .stream_k = 1.388,
    .partial_bytes = 5.365e+04,
    .store = 0.05352,
    .store_bytes = 8.042e+06,
    .store_transposed = 0.05588,
    .store_deferred = 0.5373,
    .last_store = 0.8946,
    .gap = {103.1, 128, 163},
    .peers = 0.06908,
    .drift = 0.001359,
    .smem = 0.9872,
    .cycles = 2205,
    .ask = {2.354e-06, 2.139, 2.847},
    .get = {0.007112, 0.00128, 0.2147},
    .narrow = 0.7431,
    .spread = {0.7669, 0.92, 1.6},
    .l2_bytes = 6.132e+06,
    .together = 0.5222,
    .dram = 0.8279,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
inline constexpr TilingFactor kFactors[] = {
    {"128x104_transposed", 0.899},
    {"128x128", 0.873},
    {"128x128_transposed_4x2", 0.942},
    {"128x144", 0.920},
    {"128x144_4x2", 1.003},
    {"128x144_transposed", 0.897},
    {"128x144_transposed_4x2", 0.961},
    {"128x152_transposed_4x2", 0.974},
    {"128x160", 0.915},
    {"128x176_transposed", 0.930},
    {"128x192", 0.926},
    {"128x192_tma", 0.909},
    {"128x208_tma_transposed", 0.942},
    {"128x208_tma_transposed_2x1", 0.985},
    {"128x208_transposed_4x1", 1.006},
    {"128x224_deferred", 0.931},
    {"128x240_tma_transposed", 0.949},
    {"128x240_transposed_2x1", 1.015},
    {"128x240_transposed_stream_k", 0.949},
    {"128x256_tma", 0.948},
    {"128x48_transposed", 0.845},
    {"128x64", 0.822},
    {"128x64_1x4", 0.863},
    {"128x64_stream_k", 0.841},
    {"128x72_transposed", 0.884},
    {"128x80_transposed", 0.885},
    {"128x80_transposed_4x2", 0.916},
    {"128x88_transposed", 0.879},
    {"128x96", 0.860},
    {"128x96_1x4", 0.897},
    {"128x96_4x2", 0.936},
    {"128x96_transposed_2x4", 0.930},
    {"128x96_transposed_4x2", 0.933},
    {"192x144_transposed_2x1", 0.985},
    {"192x160_2x2", 1.020},
    {"192x160_deferred", 0.938},
    {"192x192_tma", 0.968},
    {"192x192_transposed_1x2", 1.011},
    {"192x208_transposed_2x1", 1.051},
    {"192x64", 0.841},
    {"192x96_transposed", 0.912},
    {"64x120_transposed", 0.869},
    {"64x128", 0.826},
    {"64x144_transposed", 0.847},
    {"64x160_transposed_4x2_stream_k", 0.991},
    {"64x192", 0.845},
    {"64x224", 0.863},
    {"64x32", 0.816},
    {"64x32_stream_k", 0.879},
    {"64x32_transposed_stream_k", 0.904},
    {"64x48_transposed", 0.837},
    {"64x48_transposed_2x4", 0.922},
    {"64x64", 0.815},
    {"64x64_2x2", 0.894},
    {"64x64_stream_k", 0.879},
    {"64x80_transposed_2x4", 0.931},
    {"64x88_transposed", 0.861},
    {"64x96", 0.839},
    {"64x96_4x2", 0.946},
    {"64x96_transposed_4x2", 0.927},
};

}  // namespace every_shape
