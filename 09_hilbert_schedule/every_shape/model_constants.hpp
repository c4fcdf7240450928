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
    .launch = 2.886,
    .cluster = 0.4014,
    .stream_k = 1.776,
    .partial_bytes = 5.891e+04,
    .store = 0.04915,
    .store_bytes = 6.332e+06,
    .store_transposed = 0.05236,
    .store_deferred = 1.176,
    .last_store = 0.305,
    .gap = {83.17, 106.3, 171.2},
    .peers = 8.376e-06,
    .drift = 0.0009787,
    .smem = 0.9128,
    .cycles = 1481,
    .ask = {8.218e-07, 1.413, 2.133},
    .get = {2.299e-05, 8.293e-05, 1.418},
    .narrow = 1.429,
    .spread = {0.9687, 1.272, 2.155},
    .l2_bytes = 1.127e+07,
    .together = 0.1729,
    .dram = 0.7039,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
// clang-format off
inline constexpr TilingFactor kFactors[] = {
    {"128x104_by_tma", 0.772}, {"128x104_by_tma_2x4", 0.752}, {"128x104_transposed", 0.747},
    {"128x104_transposed_2x4", 0.744}, {"128x104_transposed_4x2", 0.768},
    {"128x104_transposed_stream_k", 0.782}, {"128x112_transposed", 0.762},
    {"128x112_transposed_1x2", 0.805}, {"128x112_transposed_1x8", 0.744},
    {"128x112_transposed_2x4", 0.732}, {"128x112_transposed_4x2", 0.749},
    {"128x120_by_tma_2x4", 0.740}, {"128x120_transposed_2x4", 0.734},
    {"128x120_transposed_2x4_stream_k", 0.805}, {"128x120_transposed_4x2_stream_k", 0.770},
    {"128x128", 0.733}, {"128x128_1x8", 0.755}, {"128x128_transposed_2x4", 0.721},
    {"128x128_transposed_4x2", 0.728}, {"128x128_transposed_stream_k", 0.779},
    {"128x136_by_tma", 0.795}, {"128x136_transposed", 0.773}, {"128x136_transposed_4x2", 0.754},
    {"128x136_transposed_stream_k", 0.778}, {"128x144_4x2", 0.764}, {"128x144_by_tma", 0.791},
    {"128x144_by_tma_1x2", 0.819}, {"128x144_by_tma_2x4", 0.760}, {"128x144_transposed", 0.744},
    {"128x144_transposed_1x2", 0.788}, {"128x144_transposed_2x4", 0.738},
    {"128x144_transposed_4x2", 0.741}, {"128x152_transposed", 0.784},
    {"128x152_transposed_4x2", 0.773}, {"128x160_1x2", 0.817}, {"128x160_transposed", 0.778},
    {"128x160_transposed_4x2", 0.764}, {"128x168_by_tma", 0.776}, {"128x168_by_tma_1x2", 0.823},
    {"128x168_transposed", 0.766}, {"128x168_transposed_1x2", 0.801},
    {"128x168_transposed_2x1", 0.800}, {"128x176_2x1", 0.814}, {"128x176_by_tma", 0.771},
    {"128x176_transposed", 0.756}, {"128x176_transposed_2x1", 0.793},
    {"128x176_transposed_4x2", 0.758}, {"128x184_transposed", 0.780},
    {"128x184_transposed_2x4", 0.762}, {"128x184_transposed_4x2", 0.776}, {"128x192_tma", 0.742},
    {"128x192_tma_transposed", 0.773}, {"128x192_transposed", 0.777},
    {"128x200_transposed", 0.782}, {"128x200_transposed_2x4", 0.805}, {"128x208_2x1", 0.811},
    {"128x208_by_tma", 0.782}, {"128x208_by_tma_2x1", 0.801}, {"128x208_tma_transposed", 0.756},
    {"128x216_transposed_4x2", 0.800}, {"128x224_deferred", 0.752},
    {"128x224_tma_transposed", 0.774}, {"128x224_transposed_2x1", 0.811},
    {"128x232_transposed_2x1", 0.801}, {"128x240_by_tma_2x1", 0.806},
    {"128x240_tma_transposed", 0.759}, {"128x248_transposed_2x1", 0.802}, {"128x256_2x1", 0.800},
    {"128x256_tma", 0.758}, {"128x256_tma_transposed", 0.772}, {"128x256_transposed_2x1", 0.798},
    {"128x272_transposed_2x1", 0.810}, {"128x288_transposed_2x1", 0.820},
    {"128x320_transposed_2x1", 0.834}, {"128x64", 0.676}, {"128x64_1x4", 0.701},
    {"128x64_1x8", 0.708}, {"128x64_transposed_1x8", 0.734}, {"128x72_by_tma_1x4", 0.773},
    {"128x72_transposed", 0.740}, {"128x72_transposed_4x1", 0.776},
    {"128x72_transposed_4x2", 0.759}, {"128x72_transposed_stream_k", 0.784}, {"128x80_1x8", 0.746},
    {"128x80_transposed", 0.731}, {"128x80_transposed_1x2", 0.770},
    {"128x80_transposed_1x8", 0.743}, {"128x80_transposed_2x4", 0.751},
    {"128x80_transposed_4x2", 0.746}, {"128x80_transposed_stream_k", 0.777},
    {"128x88_by_tma_1x4", 0.768}, {"128x88_transposed", 0.730}, {"128x88_transposed_2x4", 0.751},
    {"128x96", 0.722}, {"128x96_1x2", 0.794}, {"128x96_1x8", 0.732}, {"128x96_2x1", 0.808},
    {"128x96_4x2", 0.739}, {"128x96_transposed", 0.741}, {"128x96_transposed_1x8", 0.727},
    {"128x96_transposed_2x4", 0.725}, {"128x96_transposed_4x2", 0.730},
    {"192x112_transposed_1x2", 0.788}, {"192x120_transposed_1x2", 0.763},
    {"192x120_transposed_4x2", 0.746}, {"192x128", 0.754}, {"192x128_1x2", 0.755},
    {"192x128_transposed_1x2", 0.759}, {"192x136_by_tma_4x2", 0.778},
    {"192x136_transposed", 0.766}, {"192x144_deferred", 0.746}, {"192x144_transposed", 0.761},
    {"192x144_transposed_1x2", 0.763}, {"192x144_transposed_1x4", 0.757},
    {"192x152_transposed_1x2", 0.769}, {"192x160_1x2", 0.767}, {"192x160_deferred", 0.731},
    {"192x160_transposed_1x2", 0.769}, {"192x160_transposed_2x4", 0.786},
    {"192x176_deferred", 0.759}, {"192x176_transposed_1x2", 0.781}, {"192x192_1x2", 0.783},
    {"192x192_2x1", 0.775}, {"192x192_tma", 0.747}, {"192x208_transposed_1x2", 0.798},
    {"192x208_transposed_2x1", 0.800}, {"192x80_transposed", 0.762}, {"192x96", 0.736},
    {"192x96_transposed_4x2", 0.756}, {"256x112_2x4", 0.779}, {"256x144", 0.799},
    {"256x144_1x2", 0.806}, {"256x160_1x2", 0.789}, {"256x176_1x2", 0.814}, {"256x192_1x2", 0.795},
    {"256x192_2x1", 0.796}, {"64x104_by_tma", 0.744}, {"64x104_transposed_4x2", 0.788},
    {"64x112_transposed", 0.725}, {"64x120_transposed", 0.712}, {"64x128", 0.751},
    {"64x128_4x2", 0.772}, {"64x136_by_tma_4x2", 0.824}, {"64x136_transposed", 0.735},
    {"64x136_transposed_4x1", 0.794}, {"64x144_by_tma_4x2", 0.800}, {"64x144_transposed", 0.726},
    {"64x152_transposed_4x1", 0.777}, {"64x152_transposed_4x2", 0.810}, {"64x160", 0.783},
    {"64x160_transposed_4x2_stream_k", 0.813}, {"64x160_transposed_stream_k", 0.761},
    {"64x192", 0.735}, {"64x224", 0.792}, {"64x32", 0.687}, {"64x32_stream_k", 0.729},
    {"64x32_transposed", 0.693}, {"64x32_transposed_stream_k", 0.729}, {"64x40_transposed", 0.703},
    {"64x40_transposed_stream_k", 0.748}, {"64x48_2x4", 0.825}, {"64x48_transposed", 0.707},
    {"64x48_transposed_1x8", 0.760}, {"64x48_transposed_2x4", 0.813},
    {"64x48_transposed_4x1", 0.774}, {"64x56_transposed", 0.712},
    {"64x56_transposed_stream_k", 0.760}, {"64x64", 0.689}, {"64x64_1x8", 0.747},
    {"64x64_2x4", 0.786}, {"64x64_4x2", 0.818}, {"64x64_stream_k", 0.732},
    {"64x64_transposed_1x4", 0.771}, {"64x64_transposed_1x8", 0.786},
    {"64x64_transposed_4x1", 0.778}, {"64x72_by_tma", 0.729}, {"64x72_by_tma_2x4", 0.816},
    {"64x72_transposed_1x8", 0.792}, {"64x72_transposed_2x4_stream_k", 0.913},
    {"64x72_transposed_4x2", 0.820}, {"64x72_transposed_stream_k", 0.724}, {"64x80_by_tma", 0.719},
    {"64x80_by_tma_4x2", 0.820}, {"64x80_transposed", 0.713},
    {"64x80_transposed_2x4_stream_k", 0.884}, {"64x80_transposed_4x1", 0.764},
    {"64x80_transposed_stream_k", 0.728}, {"64x88_by_tma", 0.742}, {"64x88_transposed", 0.703},
    {"64x88_transposed_4x2", 0.799}, {"64x88_transposed_stream_k", 0.742}, {"64x96", 0.721},
    {"64x96_1x8", 0.776}, {"64x96_4x2", 0.803}, {"64x96_by_tma_4x2", 0.791},
    {"64x96_by_tma_4x2_stream_k", 0.846}, {"64x96_stream_k", 0.789}, {"64x96_transposed", 0.715},
    {"64x96_transposed_4x2", 0.767}, {"64x96_transposed_8x1", 0.762}
};

}  // namespace every_shape
