#pragma once
// What the model of choose.hpp is fitted by. Written by fit.py.

namespace every_shape {

struct ModelConstants {
  double launch;          // microseconds, with what a first k-tile takes to arrive
  double cluster, split;  // microseconds that a cluster and a division of K add
  double store;           // microseconds of a wave whose tiles are stored at once,
  double store_bytes;     // and bytes that all SMs store in a microsecond
  double store_deferred;  // microseconds of a wave whose tiles are stored beside the next ones,
  double last_store;      // and of the last one
  double gap[4];          // cycles of a k-tile between MMAs, by the rows of a tile / 64
  double peers;           // and cycles / sqrt(blocks) that a cluster's blocks wait for each other
  double drift;           // how much longer a cluster's k-tiles take with every wave
  double smem;            // cycles to read rows of 128 bytes from shared memory
  double cycles;          // of an SM in a microsecond
  double ask[3], get[3];  // cycles to ask for a row of 128 bytes and to get it, by alignment_class
  double narrow;          // how much longer rows in boxes of 16 take to ask for
  double l2_bytes;        // that all SMs load in a microsecond
  double together;        // the part of them that the SMs of a GPC ask for once
  double dram;            // of the bytes that the DRAM could load or store, how many it does
};

inline constexpr ModelConstants kModel = {
    .launch = 2.466,
    .cluster = 0.5237,
    .split = 2.079,
    .store = 0.08883,
    .store_bytes = 3.682e+06,
    .store_deferred = 1.413,
    .last_store = 0.5905,
    .gap = {21.55, 14.59, 62.55, 48.17},
    .peers = 12.76,
    .drift = 0.004762,
    .smem = 1.004,
    .cycles = 1874,
    .ask = {0.5002, 1.582, 2.708},
    .get = {0.5759, 0.005558, 0.3283},
    .narrow = 1.415,
    .l2_bytes = 1.349e+07,
    .together = 0.4385,
    .dram = 0.9706,
};

}  // namespace every_shape
