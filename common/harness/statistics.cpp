#include <harness/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<int> round_order(int count, int round) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (count == 0) return order;
  std::rotate(order.begin(), order.begin() + round / 2 % count, order.end());
  if (round % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

int affordable_rounds(int wanted, double sample_ms, double budget_ms) {
  const double fit = sample_ms > 0 ? budget_ms / sample_ms : wanted;
  const int least = std::min(wanted, 3);
  return fit >= wanted ? wanted : std::max(least, static_cast<int>(fit));
}

std::vector<Turn> turns(const std::vector<double>& sample_ms, int rounds, double budget_ms) {
  std::vector<Turn> out;
  for (int round = 0; round < rounds; ++round) {
    for (const int i : round_order(static_cast<int>(sample_ms.size()), round)) {
      const double cost = sample_ms[static_cast<std::size_t>(i)];
      const int own = affordable_rounds(rounds, cost, budget_ms);
      if (round * own / rounds != (round + 1) * own / rounds) out.push_back({i, round});
    }
  }
  return out;
}

}  // namespace harness
