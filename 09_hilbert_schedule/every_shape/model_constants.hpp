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
    .launch = 2.5,
    .cluster = 0.3,
    .split = 1.25,
    .store = 0.8,
    .store_bytes = 5e6,
    .store_deferred = 0.2,
    .last_store = 1.0,
    .gap = {24, 12, 12, 12},
    .peers = 10,
    .smem = 0.9,
    .cycles = 1800,
    .ask = {1.0, 2.0, 3.3},
    .get = {0.8, 1.6, 2.0},
    .narrow = 1.6,
    .l2_bytes = 20e6,
    .dram = 0.9,
};

}  // namespace every_shape
