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
    .launch = 2.235,
    .cluster = 0.334,
    .stream_k = 2.082,
    .partial_bytes = 2.317e+05,
    .store = 0.06932,
    .store_bytes = 5.267e+06,
    .store_transposed = 0.1114,
    .store_deferred = 0.8558,
    .last_store = 1.272,
    .gap = {60.65, 88.39, 128},
    .peers = 7.168e-06,
    .drift = 0.001468,
    .smem = 1.035,
    .cycles = 1707,
    .ask = {6.004e-07, 1.391, 2.827},
    .get = {2.143e-05, 2.867e-05, 1.182},
    .narrow = 1.587,
    .spread = {0.9547, 1.331, 1.768},
    .l2_bytes = 1.034e+07,
    .together = 0.344,
    .dram = 0.8143,
};

// How much longer a tiling takes than the model says.
struct TilingFactor {
  const char* tiling;
  double factor;
};
// clang-format off
inline constexpr TilingFactor kFactors[] = {
    {"128x104_by_tma", 0.884}, {"128x104_by_tma_2x4", 0.873}, {"128x104_transposed", 0.866},
    {"128x104_transposed_2x4", 0.853}, {"128x104_transposed_4x2", 0.887},
    {"128x104_transposed_stream_k", 0.908}, {"128x112_transposed", 0.882},
    {"128x112_transposed_1x2", 0.915}, {"128x112_transposed_1x8", 0.851},
    {"128x112_transposed_2x4", 0.847}, {"128x112_transposed_4x2", 0.871},
    {"128x120_by_tma_2x4", 0.859}, {"128x120_transposed_2x4", 0.850},
    {"128x120_transposed_2x4_stream_k", 0.914}, {"128x120_transposed_4x2_stream_k", 0.890},
    {"128x128", 0.852}, {"128x128_1x8", 0.857}, {"128x128_transposed_2x4", 0.826},
    {"128x128_transposed_4x2", 0.832}, {"128x128_transposed_stream_k", 0.902},
    {"128x136_by_tma", 0.897}, {"128x136_transposed", 0.872}, {"128x136_transposed_4x2", 0.865},
    {"128x136_transposed_stream_k", 0.899}, {"128x144_4x2", 0.879}, {"128x144_by_tma", 0.897},
    {"128x144_by_tma_1x2", 0.931}, {"128x144_by_tma_2x4", 0.872}, {"128x144_transposed", 0.846},
    {"128x144_transposed_1x2", 0.882}, {"128x144_transposed_2x4", 0.836},
    {"128x144_transposed_4x2", 0.852}, {"128x152_transposed", 0.881},
    {"128x152_transposed_4x2", 0.887}, {"128x160_1x2", 0.926}, {"128x160_transposed", 0.884},
    {"128x160_transposed_4x2", 0.874}, {"128x168_by_tma", 0.879}, {"128x168_by_tma_1x2", 0.929},
    {"128x168_transposed", 0.862}, {"128x168_transposed_1x2", 0.911},
    {"128x168_transposed_2x1", 0.914}, {"128x176_2x1", 0.917}, {"128x176_by_tma", 0.875},
    {"128x176_transposed", 0.853}, {"128x176_transposed_2x1", 0.903},
    {"128x176_transposed_4x2", 0.869}, {"128x184_transposed", 0.886},
    {"128x184_transposed_2x4", 0.870}, {"128x184_transposed_4x2", 0.889}, {"128x192_tma", 0.847},
    {"128x192_tma_transposed", 0.885}, {"128x192_transposed", 0.882},
    {"128x200_transposed", 0.878}, {"128x200_transposed_2x4", 0.906}, {"128x208_2x1", 0.919},
    {"128x208_by_tma", 0.889}, {"128x208_by_tma_2x1", 0.908}, {"128x208_tma_transposed", 0.864},
    {"128x216_transposed_4x2", 0.905}, {"128x224_deferred", 0.858},
    {"128x224_tma_transposed", 0.888}, {"128x224_transposed_2x1", 0.919},
    {"128x232_transposed_2x1", 0.919}, {"128x240_by_tma_2x1", 0.904},
    {"128x240_tma_transposed", 0.866}, {"128x248_transposed_2x1", 0.909}, {"128x256_2x1", 0.905},
    {"128x256_tma", 0.857}, {"128x256_tma_transposed", 0.883}, {"128x256_transposed_2x1", 0.901},
    {"128x272_transposed_2x1", 0.932}, {"128x288_transposed_2x1", 0.932},
    {"128x320_transposed_2x1", 0.946}, {"128x64", 0.798}, {"128x64_1x4", 0.819},
    {"128x64_1x8", 0.821}, {"128x64_transposed_1x8", 0.855}, {"128x72_by_tma_1x4", 0.894},
    {"128x72_transposed", 0.851}, {"128x72_transposed_4x1", 0.893},
    {"128x72_transposed_4x2", 0.878}, {"128x72_transposed_stream_k", 0.909}, {"128x80_1x8", 0.859},
    {"128x80_transposed", 0.844}, {"128x80_transposed_1x2", 0.883},
    {"128x80_transposed_1x8", 0.852}, {"128x80_transposed_2x4", 0.864},
    {"128x80_transposed_4x2", 0.875}, {"128x80_transposed_stream_k", 0.905},
    {"128x88_by_tma_1x4", 0.875}, {"128x88_transposed", 0.845}, {"128x88_transposed_2x4", 0.879},
    {"128x96", 0.830}, {"128x96_1x2", 0.915}, {"128x96_1x8", 0.852}, {"128x96_2x1", 0.918},
    {"128x96_4x2", 0.858}, {"128x96_transposed", 0.864}, {"128x96_transposed_1x8", 0.835},
    {"128x96_transposed_2x4", 0.847}, {"128x96_transposed_4x2", 0.843},
    {"192x112_transposed_1x2", 0.899}, {"192x120_transposed_1x2", 0.877},
    {"192x120_transposed_4x2", 0.861}, {"192x128", 0.872}, {"192x128_1x2", 0.876},
    {"192x128_transposed_1x2", 0.875}, {"192x136_by_tma_4x2", 0.889},
    {"192x136_transposed", 0.875}, {"192x144_deferred", 0.858}, {"192x144_transposed", 0.858},
    {"192x144_transposed_1x2", 0.874}, {"192x144_transposed_1x4", 0.856},
    {"192x152_transposed_1x2", 0.884}, {"192x160_1x2", 0.887}, {"192x160_deferred", 0.847},
    {"192x160_transposed_1x2", 0.880}, {"192x160_transposed_2x4", 0.908},
    {"192x176_deferred", 0.876}, {"192x176_transposed_1x2", 0.906}, {"192x192_1x2", 0.902},
    {"192x192_2x1", 0.896}, {"192x192_tma", 0.868}, {"192x208_transposed_1x2", 0.915},
    {"192x208_transposed_2x1", 0.923}, {"192x80_transposed", 0.881}, {"192x96", 0.850},
    {"192x96_transposed_4x2", 0.867}, {"256x112_2x4", 0.903}, {"256x144", 0.923},
    {"256x144_1x2", 0.929}, {"256x160_1x2", 0.904}, {"256x176_1x2", 0.937}, {"256x192_1x2", 0.915},
    {"256x192_2x1", 0.914}, {"64x104_by_tma", 0.861}, {"64x104_transposed_4x2", 0.945},
    {"64x112_transposed", 0.839}, {"64x120_transposed", 0.834}, {"64x128", 0.876},
    {"64x128_4x2", 0.917}, {"64x136_by_tma_4x2", 0.954}, {"64x136_transposed", 0.854},
    {"64x136_transposed_4x1", 0.921}, {"64x144_by_tma_4x2", 0.945}, {"64x144_transposed", 0.843},
    {"64x152_transposed_4x1", 0.908}, {"64x152_transposed_4x2", 0.941}, {"64x160", 0.906},
    {"64x160_transposed_4x2_stream_k", 0.954}, {"64x160_transposed_stream_k", 0.881},
    {"64x192", 0.842}, {"64x224", 0.911}, {"64x32", 0.806}, {"64x32_stream_k", 0.846},
    {"64x32_transposed", 0.817}, {"64x32_transposed_stream_k", 0.834}, {"64x40_transposed", 0.836},
    {"64x40_transposed_stream_k", 0.860}, {"64x48_2x4", 0.982}, {"64x48_transposed", 0.835},
    {"64x48_transposed_1x8", 0.904}, {"64x48_transposed_2x4", 0.976},
    {"64x48_transposed_4x1", 0.887}, {"64x56_transposed", 0.834},
    {"64x56_transposed_stream_k", 0.885}, {"64x64", 0.825}, {"64x64_1x8", 0.886},
    {"64x64_2x4", 0.969}, {"64x64_4x2", 0.995}, {"64x64_stream_k", 0.860},
    {"64x64_transposed_1x4", 0.886}, {"64x64_transposed_1x8", 0.917},
    {"64x64_transposed_4x1", 0.884}, {"64x72_by_tma", 0.858}, {"64x72_by_tma_2x4", 0.976},
    {"64x72_transposed_1x8", 0.912}, {"64x72_transposed_2x4_stream_k", 1.051},
    {"64x72_transposed_4x2", 0.978}, {"64x72_transposed_stream_k", 0.857}, {"64x80_by_tma", 0.845},
    {"64x80_by_tma_4x2", 0.983}, {"64x80_transposed", 0.840},
    {"64x80_transposed_2x4_stream_k", 1.018}, {"64x80_transposed_4x1", 0.903},
    {"64x80_transposed_stream_k", 0.861}, {"64x88_by_tma", 0.869}, {"64x88_transposed", 0.836},
    {"64x88_transposed_4x2", 0.949}, {"64x88_transposed_stream_k", 0.870}, {"64x96", 0.851},
    {"64x96_1x8", 0.904}, {"64x96_4x2", 0.967}, {"64x96_by_tma_4x2", 0.948},
    {"64x96_by_tma_4x2_stream_k", 1.017}, {"64x96_stream_k", 0.926}, {"64x96_transposed", 0.831},
    {"64x96_transposed_4x2", 0.928}, {"64x96_transposed_8x1", 0.912}
};

}  // namespace every_shape
