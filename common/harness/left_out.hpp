#pragma once
// What `bench` does not measure, because it would take too long.

#include <harness/options.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace harness {

// One launch that takes longer than this is left out of `bench`.
inline constexpr double kLongestLaunchMs = 2000;

// Rows of C to estimate a launch by, enough of them to fill the device; 0 where the problem is so
// small that trying it costs nothing.
std::int64_t rows_to_estimate_by(const Shape& shape);

// How long a launch will take, from one over fewer rows of C: all else being equal, time is
// proportional to M.
double predicted_ms(double measured_ms, std::int64_t measured_rows, std::int64_t rows);

// Nothing when a launch is short enough; otherwise what the table says in its place.
std::optional<std::string> why_left_out(double launch_ms);

}  // namespace harness
