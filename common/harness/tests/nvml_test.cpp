#include <test/catch.hpp>

#include <harness/nvml.hpp>

#include <chrono>
#include <thread>

using harness::BoardSampler;
using harness::Nvml;

TEST_CASE("means leave out what could not be read") {
  const auto means =
      harness::mean({{1700.0, std::nullopt}, {1800.0, 600.0}, {std::nullopt, 700.0}});
  CHECK(means.sm_mhz == 1750.0);
  CHECK(means.power_w == 650.0);
}
