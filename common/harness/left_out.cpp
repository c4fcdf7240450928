#include <harness/left_out.hpp>

#include <harness/table.hpp>

#include <algorithm>

namespace harness {
namespace {

// Below this, even a kernel at 0.1 TFLOPS is done in a tenth of a second.
constexpr double kFlopsWorthEstimating = 1e10;

}  // namespace

std::int64_t rows_to_estimate_by(const Shape& shape) {
  if (shape.flops() < kFlopsWorthEstimating) return 0;
  return std::clamp<std::int64_t>(shape.m / 32, std::min<std::int64_t>(128, shape.m), shape.m);
}

double predicted_ms(double measured_ms, std::int64_t measured_rows, std::int64_t rows) {
  return measured_ms * static_cast<double>(rows) / static_cast<double>(measured_rows);
}

std::optional<std::string> why_left_out(double launch_ms) {
  if (launch_ms <= kLongestLaunchMs) return std::nullopt;
  return "left out: one launch would take about " + fixed(launch_ms / 1000, 1) + " s";
}

}  // namespace harness
