#pragma once
// From samples to a number with its uncertainty, and the order in which samples are taken.

#include <optional>
#include <vector>

namespace harness {

// The median and an interval that contains the true median with at least 95% probability, whatever
// the distribution of the samples: its ends are order statistics. Fewer than six samples cannot
// give 95%; then it is the whole range, from the smallest to the largest.
struct Estimate {
  double median = 0;
  double lo = 0;
  double hi = 0;
};

// `samples` must not be empty.
Estimate estimate(std::vector<double> samples);

// Nothing where there are no values.
std::optional<double> mean(const std::vector<double>& values);

// The order of `count` kernels in a round. It rotates, so that everyone comes first equally
// often, and every second round runs backwards, so that nobody always follows the same neighbour: a
// kernel measured after one that heated the chip would look slower than it is.
std::vector<int> round_order(int count, int round);

// How many rounds a kernel takes part in when one sample of it costs `sample_ms`: `wanted`
// where they fit in `budget_ms`, fewer for a slow one, but never fewer than three (or `wanted`).
int affordable_rounds(int wanted, double sample_ms, double budget_ms);

// A sample to take: of which kernel, in which round.
struct Turn {
  int kernel, round;
};

// All rounds of kernels whose samples cost that much. A slow one takes part in fewer, spread over
// all of them: one that stopped early would be compared with neighbours measured at another
// temperature.
std::vector<Turn> turns(const std::vector<double>& sample_ms, int rounds, double budget_ms);

}  // namespace harness
