#pragma once
// From samples to a number with its uncertainty, and the order in which samples are taken.

#include <algorithm>
#include <cmath>
#include <vector>

namespace harness {

// The median and an interval that contains the true median with at least 95% probability, whatever
// the distribution of the samples: its ends are order statistics. Fewer than six samples cannot
// give 95%; then it is the whole range, from the smallest to the largest.
struct Estimate {
  double median = 0, lo = 0, hi = 0;
};

// `samples` must not be empty. As many are left out at either end as still enclose the median with
// the wanted probability: the number of samples below the true median is binomial (n, 1/2), so with
// k of them outside both ends miss it together with probability 2 P(X < k).
inline Estimate estimate(std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t n = samples.size();
  std::size_t outside = 0;
  double term = std::pow(0.5, n), tail = term;  // P(X = outside), P(X <= outside)
  while (2 * tail <= 0.05) {
    ++outside;
    term *= static_cast<double>(n - outside + 1) / static_cast<double>(outside);
    tail += term;
  }
  if (outside > 0) --outside;
  return {(samples[(n - 1) / 2] + samples[n / 2]) / 2, samples[outside], samples[n - 1 - outside]};
}

// A sample to take: of which kernel, in which round.
struct Turn {
  std::size_t kernel;
  int round;
};

// All rounds of kernels whose samples cost that much. The order rotates, so that everyone comes
// first equally often, and every second round runs backwards, so that nobody always follows the
// same neighbour: a kernel measured after one that heated the chip would look slower than it is. A
// slow one takes part in as many rounds as fit in the budget, at least three, spread over all of
// them: one that stopped early would be compared with neighbours measured at another temperature.
inline std::vector<Turn> turns(const std::vector<double>& sample_ms, int rounds, double budget_ms) {
  const std::size_t count = sample_ms.size();
  std::vector<Turn> out;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t forward = round % 2 == 0 ? place : count - 1 - place;
      const std::size_t i = (forward + static_cast<std::size_t>(round) / 2) % count;
      const double fit = budget_ms / std::max(sample_ms[i], 1e-9);
      const int own = static_cast<int>(std::clamp<double>(fit, std::min(rounds, 3), rounds));
      if (round * own / rounds != (round + 1) * own / rounds) out.push_back({i, round});
    }
  }
  return out;
}

}  // namespace harness
