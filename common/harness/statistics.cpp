#include <harness/statistics.hpp>

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

constexpr double kConfidence = 0.95;

// How many samples to leave out at either end: the largest k for which sample k + 1 and sample n -
// k (counting from one, in order of size) still enclose the median with the wanted probability. The
// number of samples below the true median is binomial (n, 1/2), so both ends miss it together with
// probability 2 P(X <= k).
int samples_outside(int n) {
  double term = std::pow(0.5, n);  // P(X = k)
  double tail = term;              // P(X <= k)
  int k = 0;
  while (2 * tail <= 1 - kConfidence) {
    ++k;
    term *= static_cast<double>(n - k + 1) / k;
    tail += term;
  }
  return std::max(0, k - 1);
}

}  // namespace

Estimate estimate(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  const std::size_t outside = static_cast<std::size_t>(samples_outside(static_cast<int>(n)));
  return {.median = (samples[(n - 1) / 2] + samples[n / 2]) / 2,
          .lo = samples[outside],
          .hi = samples[n - 1 - outside]};
}

std::vector<Turn> turns(const std::vector<double>& sample_ms, int rounds, double budget_ms) {
  const int count = static_cast<int>(sample_ms.size());
  std::vector<Turn> out;
  for (int round = 0; round < rounds; ++round) {
    for (int place = 0; place < count; ++place) {
      const int forward = round % 2 == 0 ? place : count - 1 - place;
      const int i = (forward + round / 2) % count;
      const double fit = budget_ms / std::max(sample_ms[static_cast<std::size_t>(i)], 1e-9);
      const int own = static_cast<int>(std::clamp<double>(fit, std::min(rounds, 3), rounds));
      if (round * own / rounds != (round + 1) * own / rounds) out.push_back({i, round});
    }
  }
  return out;
}

}  // namespace harness
