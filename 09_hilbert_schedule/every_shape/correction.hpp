#pragma once
// What the model of choose.hpp does not know: a neural network with two hidden layers, fitted to
// recorded times (fit.py), corrects its estimates.

#include "choose.hpp"

#include <core/vector_clones.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace every_shape {

// The network's inputs. Where times of no such K or DRAM are recorded, it gets the nearest.
inline std::array<float, kOfTiling> inputs(const Tiling& t) {
  const auto log2 = [](int power) { return std::bit_width(static_cast<unsigned>(power)) - 1.0f; };
  const auto flag = [](bool value) { return value ? 1.0f : 0.0f; };
  return {static_cast<float>(t.rows) / 64,
          static_cast<float>(t.cols) / 128,
          log2(t.share_a),
          log2(t.share_b),
          flag(t.transposed),
          flag(t.deferred),
          flag(t.by_tma),
          flag(t.stream_k),
          static_cast<float>(t.split_k - 1),
          flag(t.ping_pong),
          flag(t.cols % 16 != 0),
          flag(t.cols % 32 != 0),
          flag(t.cols % 64 != 0)};
}
inline std::array<float, kOfEstimate> inputs(const Estimate& e) {
  const double values[] = {e.filled_m, e.filled_n, 1 / e.waves,
                           e.filled_waves / std::ceil(e.filled_waves)};
  const double parts[] = {e.mma, e.asked, e.l2, e.dram, e.stores, e.start, e.parts};
  std::array<float, kOfEstimate> out;
  auto at = out.begin();
  for (const double value : values) *at++ = static_cast<float>(value);
  for (const double part : parts) *at++ = static_cast<float>(part / e.total);
  return out;
}
// For tiles of the transpose: of transposed(problem).
inline std::array<float, kOfProblem> inputs(const gemm::Problem& p, const DeviceRates& device) {
  const auto log = [](std::int64_t extent, double least) {
    return static_cast<float>(std::log(std::clamp(static_cast<double>(extent), least, 50000.0)));
  };
  const auto flag = [](bool value) { return value ? 1.0f : 0.0f; };
  const int operands = std::max(alignment_class(p.lda), alignment_class(p.ldb));
  const int output = alignment_class(p.ldc);
  return {log(p.m, 1),
          log(p.n, 1),
          log(p.k, 64),
          static_cast<float>(p.k % 64),
          flag(p.a_major == gemm::Major::kMn),
          flag(p.b_major == gemm::Major::kMn),
          flag(operands == 1),
          flag(operands == 2),
          flag(operands == 3),
          flag(output == 1),
          flag(output == 2),
          flag(output == 3),
          static_cast<float>(std::clamp(device.dram_bytes / 1e6, 3.35, 4.82))};
}

// The sums of the first hidden layer's units. What a tiling adds to them is the same for every
// problem, what a problem adds is the same for every tiling.
using FirstSums = std::array<float, kFirst>;
template <std::size_t kInputs, std::size_t kUnits>
[[gnu::always_inline]] inline void add(std::array<float, kUnits>& sums,
                                       const std::array<float, kInputs>& seen,
                                       const std::array<float, kInputs * kUnits>& weights) {
  for (std::size_t i = 0; i < kInputs; ++i) {
    for (std::size_t j = 0; j < kUnits; ++j) sums[j] += seen[i] * weights[i * kUnits + j];
  }
}
inline FirstSums first_sums(const Tiling& tiling, const FittedTiling& known,
                            const Network& net = kNetwork) {
  FirstSums out = net.first_bias;
  add(out, inputs(tiling), net.of_tiling);
  add(out, known.embedding, net.of_embedding);
  return out;
}
inline FirstSums first_sums(const gemm::Problem& problem, const DeviceRates& device,
                            const Network& net = kNetwork) {
  FirstSums out = {};
  add(out, inputs(problem, device), net.of_problem);
  return out;
}

// What to multiply an estimate by, but for a factor that all tilings have in common.
CORE_VECTOR_CLONES inline double correction(const FirstSums& of_tiling, const FirstSums& of_problem,
                                            const std::array<float, kOfEstimate>& of_estimate,
                                            const Network& net = kNetwork) {
  FirstSums first;
  for (std::size_t i = 0; i < kFirst; ++i) first[i] = of_tiling[i] + of_problem[i];
  add(first, of_estimate, net.of_estimate);
  for (float& unit : first) unit = std::max(unit, 0.0f);
  std::array<float, kSecond> second = net.second_bias;
  add(second, first, net.second);
  float sum = 0;
  for (std::size_t i = 0; i < kSecond; ++i) sum += std::max(second[i], 0.0f) * net.out[i];
  return std::exp(sum);
}

}  // namespace every_shape
