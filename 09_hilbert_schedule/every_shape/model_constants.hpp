#pragma once
// What the model of choose.hpp and its correction are fitted by. fit.py writes the numbers.

#include <array>
#include <cstddef>

namespace every_shape {

struct ModelConstants {
  double launch;            // microseconds, with what a first k-tile takes to arrive
  double cluster;           // microseconds that a cluster adds
  double stream_k;          // microseconds that blocks of stream-K wait for each other,
  double split_k;           // or those of a cluster with split-K
  double partial_bytes;     // bytes of partial results that an SM stores or adds in a microsecond
  double store;             // microseconds of a wave whose tiles are stored at once,
  double store_bytes;       // and bytes that all SMs store in a microsecond
  double store_transposed;  // the same, of the transpose of C
  double store_deferred;    // microseconds of a wave whose tiles are stored beside the next ones,
  double last_store;        // and of the last one
  double gap[3];            // cycles of a k-tile between MMAs, by the rows of a tile / 64
  double drift;             // how much longer a cluster's k-tiles take with every wave
  double smem;              // cycles to read rows of 128 bytes from shared memory
  double cycles;            // of an SM in a microsecond
  double ask[4], get[4];  // cycles to ask for a row of 128 bytes and to get it, by alignment_class
  double narrow;          // how many times as long rows in boxes of 16 take to ask for
  double spread[4];  // bytes that the L2 is asked for, by alignment_class, for each that is loaded
  double l2_bytes;   // that all SMs load in a microsecond
  double together;   // the part of them that the SMs of a GPC ask for once
  double dram;       // of the bytes that the DRAM could load or store, how many it does
};

// Of the network of correction.hpp: how many inputs it has that depend on the tiling, on the
// model's estimate and on the problem; the length of a tiling's embedding, which are inputs, too;
// the units of its two hidden layers.
inline constexpr std::size_t kOfTiling = 13, kOfEstimate = 11, kOfProblem = 13, kEmbedding = 8;
inline constexpr std::size_t kFirst = 128, kSecond = 32;
struct Network {
  std::array<float, kOfTiling * kFirst> of_tiling;
  std::array<float, kOfEstimate * kFirst> of_estimate;
  std::array<float, kOfProblem * kFirst> of_problem;
  std::array<float, kEmbedding * kFirst> of_embedding;
  std::array<float, kFirst> first_bias;
  std::array<float, kFirst * kSecond> second;
  std::array<float, kSecond> second_bias, out;
};

// What was learnt of one tiling.
struct FittedTiling {
  const char* name;
  double factor;  // how much longer it takes than the model says
  std::array<float, kEmbedding> embedding;
};

inline constexpr ModelConstants kModel = {
#include "fitted_model.inc"
};
inline constexpr FittedTiling kTilings[] = {
#include "fitted_tilings.inc"
};
inline constexpr Network kNetwork = {
#include "fitted_network.inc"
};

}  // namespace every_shape
