#pragma once
// What the model of choose.hpp does not know: a neural network with one hidden layer, fitted to
// recorded times (fit.py), corrects its estimates.

#include "choose.hpp"

#include <core/vector_clones.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <initializer_list>

namespace every_shape {

// What the network sees of an estimate. Where times of no such K or DRAM are recorded, it sees the
// nearest.
using Features = std::array<float, kFeatures>;
inline Features features(const Tiling& t, const gemm::Problem& given, const DeviceRates& device,
                         const Estimate& e) {
  const auto log2 = [](int power) { return std::bit_width(static_cast<unsigned>(power)) - 1.0; };
  const auto flag = [](bool value) { return value ? 1.0 : 0.0; };
  const gemm::Problem p = t.transposed ? transposed(given) : given;
  const int operands = std::max(alignment_class(given.lda), alignment_class(given.ldb));
  const int output = alignment_class(given.ldc);
  Features out;
  auto at = out.begin();
  const auto add = [&](std::initializer_list<double> values) {
    for (const double value : values) *at++ = static_cast<float>(value);
  };
  add({t.rows / 64.0, t.cols / 128.0, log2(t.share_a), log2(t.share_b)});
  add({flag(t.transposed), flag(t.deferred), flag(t.by_tma), flag(t.stream_k)});
  add({t.split_k - 1.0, flag(t.ping_pong)});
  add({e.filled_m, e.filled_n, 1 / e.waves, e.filled_waves / std::ceil(e.filled_waves)});
  const double parts[] = {e.mma, e.asked, e.l2, e.dram, e.stores, e.start, e.parts};
  for (const double part : parts) add({part / e.total});
  const auto log = [](std::int64_t extent, double least) {
    return std::log(std::clamp(static_cast<double>(extent), least, 50000.0));
  };
  add({log(p.m, 1), log(p.n, 1), log(p.k, 64), static_cast<double>(p.k % 64)});
  add({flag(t.cols % 16 != 0), flag(t.cols % 32 != 0), flag(t.cols % 64 != 0)});
  add({flag(p.a_major == gemm::Major::kMn), flag(p.b_major == gemm::Major::kMn)});
  add({flag(operands == 1), flag(operands == 2), flag(output == 1), flag(output == 2)});
  add({std::clamp(device.dram_bytes / 1e6, 3.35, 4.82)});
  return out;
}

// What to multiply an estimate by, but for a factor that all tilings have in common.
CORE_VECTOR_CLONES inline double correction(const Features& seen,
                                            const Network& fitted = kNetwork) {
  std::array<float, kHidden> hidden = fitted.bias;
  float sum = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    for (std::size_t j = 0; j < kHidden; ++j)
      hidden[j] += seen[i] * fitted.weights[i * kHidden + j];
    sum += seen[i] * fitted.direct[i];
  }
  for (std::size_t j = 0; j < kHidden; ++j) {
    sum += fitted.out[j] * hidden[j] / (1 + std::abs(hidden[j]));
  }
  return std::exp(sum);
}

inline double correction(const Tiling& tiling, const gemm::Problem& problem,
                         const DeviceRates& device) {
  return correction(features(tiling, problem, device, estimate(tiling, problem, device)));
}

}  // namespace every_shape
