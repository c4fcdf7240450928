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
    .launch = 3.181,
    .cluster = 0.7389,
    .stream_k = 2.03,
    .partial_bytes = 8.842e+04,
    .store = 0.09751,
    .store_bytes = 5.666e+06,
    .store_transposed = 0.04159,
    .store_deferred = 0.7926,
    .last_store = 0.6768,
    .gap = {102.8, 150.2, 179},
    .peers = 1.452,
    .drift = 0.0005735,
    .smem = 0.8602,
    .cycles = 2072,
    .ask = {0.0001166, 1.445, 2.871},
    .get = {0.0005312, 0.8159, 1.643},
    .narrow = 1.288,
    .spread = {0.9298, 1.023, 1.676},
    .l2_bytes = 6.982e+06,
    .together = 0.6579,
    .dram = 0.8837,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
inline constexpr TilingFactor kFactors[] = {
    {"128x128", 0.883},
    {"128x128_2x2", 0.908},
    {"128x144", 0.919},
    {"128x144_4x2", 0.952},
    {"128x144_transposed", 0.912},
    {"128x160", 0.917},
    {"128x176_transposed", 0.962},
    {"128x192", 0.935},
    {"128x192_stream_k", 0.947},
    {"128x192_tma", 0.925},
    {"128x208", 0.958},
    {"128x208_tma_transposed", 0.967},
    {"128x224_deferred", 0.950},
    {"128x240_tma_transposed", 0.968},
    {"128x240_transposed", 0.981},
    {"128x240_transposed_2x1", 1.007},
    {"128x240_transposed_stream_k", 0.997},
    {"128x256_tma", 0.957},
    {"128x48_transposed", 0.871},
    {"128x64", 0.813},
    {"128x64_1x4", 0.813},
    {"128x80_transposed", 0.887},
    {"128x80_transposed_stream_k", 0.936},
    {"128x96", 0.862},
    {"128x96_1x4", 0.856},
    {"128x96_4x2", 0.871},
    {"128x96_transposed_4x2", 0.881},
    {"192x160_deferred", 0.945},
    {"192x192_tma", 0.980},
    {"192x64", 0.850},
    {"192x96_transposed", 0.936},
    {"64x128", 0.852},
    {"64x128_4x2", 0.878},
    {"64x128_stream_k", 0.912},
    {"64x144_transposed", 0.886},
    {"64x160", 0.885},
    {"64x160_transposed_4x2", 0.944},
    {"64x160_transposed_4x2_stream_k", 0.954},
    {"64x192", 0.866},
    {"64x192_transposed_4x2", 0.957},
    {"64x224", 0.901},
    {"64x32", 0.834},
    {"64x32_stream_k", 0.903},
    {"64x48_transposed", 0.863},
    {"64x48_transposed_stream_k", 0.924},
    {"64x64", 0.828},
    {"64x64_2x2", 0.891},
    {"64x64_stream_k", 0.898},
    {"64x96", 0.851},
    {"64x96_4x2", 0.928},
    {"64x96_transposed_4x2", 0.917},
};

}  // namespace every_shape
