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
  double peers;           // and cycles that blocks of a cluster of one wait for each other: those of
                          // a cluster wait sqrt(blocks) times as long
  double smem;            // cycles to read rows of 128 bytes from shared memory
  double cycles;          // of an SM in a microsecond
  double ask[3], get[3];  // cycles to ask for a row of 128 bytes and to get it, by alignment_class
  double narrow;          // how much longer rows in boxes of 16 take to ask for
  double l2_bytes;        // that all SMs load in a microsecond
  double dram;            // of the bytes that the DRAM could load or store, how many it does
};

inline constexpr ModelConstants kModel = {
    .launch = 2.622,
    .cluster = 0.4869,
    .split = 1.886,
    .store = 0.1339,
    .store_bytes = 5.346e+06,
    .store_deferred = 0.5281,
    .last_store = 1.319,
    .gap = {2.211, 5.426, 16.06, 15.27},
    .peers = 14.85,
    .smem = 1.008,
    .cycles = 1840,
    .ask = {0.2268, 1.522, 2.793},
    .get = {0.4077, 0.3131, 0.7478},
    .narrow = 1.409,
    .l2_bytes = 1.802e+07,
    .dram = 0.9576,
};

}  // namespace every_shape
