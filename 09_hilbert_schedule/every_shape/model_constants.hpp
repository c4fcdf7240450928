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
    .launch = 3.49,
    .cluster = 0.444,
    .stream_k = 1.495,
    .partial_bytes = 6.11e+04,
    .store = 0.1229,
    .store_bytes = 6.596e+06,
    .store_transposed = 0.03824,
    .store_deferred = 0.8417,
    .last_store = 0.6309,
    .gap = {83.94, 142.3, 153.5},
    .peers = 0.03091,
    .drift = 0.0006578,
    .smem = 0.9616,
    .cycles = 1899,
    .ask = {8.852e-06, 1.745, 2.512},
    .get = {0.0001377, 0.01691, 0.2536},
    .narrow = 1.459,
    .spread = {0.794, 0.8171, 1.411},
    .l2_bytes = 5.781e+06,
    .together = 0.5886,
    .dram = 0.8105,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
inline constexpr TilingFactor kFactors[] = {
    {"128x112_transposed_4x2", 0.872},
    {"128x128", 0.812},
    {"128x128_2x2", 0.865},
    {"128x128_transposed_4x2", 0.860},
    {"128x144", 0.838},
    {"128x144_4x2", 0.898},
    {"128x144_transposed", 0.839},
    {"128x144_transposed_4x2", 0.878},
    {"128x160", 0.843},
    {"128x176_transposed", 0.884},
    {"128x176_transposed_stream_k", 0.878},
    {"128x192", 0.859},
    {"128x192_tma", 0.844},
    {"128x208_tma_transposed", 0.881},
    {"128x208_tma_transposed_2x1", 0.915},
    {"128x208_transposed_4x1", 0.943},
    {"128x224_deferred", 0.867},
    {"128x240_tma_transposed", 0.887},
    {"128x240_transposed_2x1", 0.937},
    {"128x240_transposed_2x2", 0.946},
    {"128x240_transposed_stream_k", 0.913},
    {"128x256_tma", 0.880},
    {"128x48_transposed", 0.799},
    {"128x64", 0.750},
    {"128x64_1x4", 0.775},
    {"128x64_stream_k", 0.794},
    {"128x80_transposed", 0.823},
    {"128x80_transposed_4x2", 0.836},
    {"128x96", 0.793},
    {"128x96_1x4", 0.812},
    {"128x96_4x2", 0.830},
    {"128x96_transposed_2x4", 0.839},
    {"128x96_transposed_4x2", 0.840},
    {"192x160_deferred", 0.876},
    {"192x192_tma", 0.903},
    {"192x64", 0.787},
    {"192x96_transposed", 0.872},
    {"64x128", 0.788},
    {"64x128_stream_k", 0.900},
    {"64x144_transposed", 0.816},
    {"64x160_transposed_4x2", 0.951},
    {"64x160_transposed_4x2_stream_k", 0.934},
    {"64x192", 0.800},
    {"64x224", 0.821},
    {"64x32", 0.770},
    {"64x32_stream_k", 0.844},
    {"64x32_transposed_stream_k", 0.870},
    {"64x48_transposed", 0.797},
    {"64x48_transposed_stream_k", 0.927},
    {"64x64", 0.765},
    {"64x64_2x2", 0.869},
    {"64x64_stream_k", 0.843},
    {"64x96", 0.787},
    {"64x96_4x2", 0.915},
    {"64x96_transposed_4x2", 0.913},
};

}  // namespace every_shape
