#pragma once
// From samples to a number with its uncertainty, and the order in which samples are taken.

#include <vector>

namespace harness {

// The median and an interval that contains the true median with at least 95% probability, whatever
// the distribution of the samples: its ends are order statistics. Fewer than six samples cannot
// give 95%; then it is the whole range, from the smallest to the largest.
struct Estimate {
  double median = 0, lo = 0, hi = 0;
};

// `samples` must not be empty.
Estimate estimate(std::vector<double> samples);

// A sample to take: of which kernel, in which round.
struct Turn {
  int kernel, round;
};

// All rounds of kernels whose samples cost that much. The order rotates, so that everyone comes
// first equally often, and every second round runs backwards, so that nobody always follows the
// same neighbour: a kernel measured after one that heated the chip would look slower than it is. A
// slow one takes part in as many rounds as fit in the budget, at least three, spread over all of
// them: one that stopped early would be compared with neighbours measured at another temperature.
std::vector<Turn> turns(const std::vector<double>& sample_ms, int rounds, double budget_ms);

}  // namespace harness
