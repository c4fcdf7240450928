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
    .launch = 2.536,
    .cluster = 0.6087,
    .split = 1.989,
    .store = 0.09396,
    .store_bytes = 4.758e+06,
    .store_deferred = 0.7104,
    .last_store = 1.215,
    .gap = {5.809, 7.142, 7.142, 21.98},
    .peers = 12.45,
    .drift = 0.004718,
    .smem = 1.007,
    .cycles = 1833,
    .ask = {0.2447, 1.553, 2.826},
    .get = {0.3325, 0.00239, 0.05305},
    .narrow = 1.394,
    .l2_bytes = 1.316e+07,
    .together = 0.3349,
    .dram = 0.9668,
};

}  // namespace every_shape
