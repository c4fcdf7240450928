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
  double gap[4];          // cycles of an SM's k-tile between MMAs, by the rows of a tile / 64
  double smem;            // cycles to read a row of 32 bytes from shared memory, for an MMA
  double cycles;          // of the tensor cores in a microsecond
  double sm_bytes;        // that an SM loads in a microsecond,
  double l2_bytes;        // and all SMs
  double dram;            // of the bytes that the DRAM could load or store, how many it does
  double split_sectors;   // how much longer rows in the middle of sectors take to load
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
    .smem = 0.9,
    .cycles = 1750,
    .sm_bytes = 245e3,
    .l2_bytes = 20e6,
    .dram = 0.95,
    .split_sectors = 1.6,
};

}  // namespace every_shape
