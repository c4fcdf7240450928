#include <test/catch.hpp>

#include <harness/nvml.hpp>

#include <chrono>
#include <thread>

using harness::BoardSampler;
using harness::Nvml;

TEST_CASE("a machine without NVML is told so in one line") {
  std::string why_not;
  CHECK(Nvml::open("0000:00:00.0", why_not, "libno-such-library.so.1") == nullptr);
  CHECK(why_not == "NVML: libno-such-library.so.1 cannot be loaded");
}

TEST_CASE("a library that is not NVML is told so in one line") {
  std::string why_not;
  CHECK(Nvml::open("0000:00:00.0", why_not, "libc.so.6") == nullptr);
  CHECK(why_not == "NVML: libc.so.6 lacks a function that is needed");
}

TEST_CASE("sampling without NVML reads nothing and stands in nobody's way") {
  BoardSampler board(nullptr);
  board.begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  const auto readings = board.end();
  CHECK(readings.empty());
  CHECK_FALSE(harness::mean(readings).sm_mhz.has_value());
}

TEST_CASE("means leave out what could not be read") {
  const auto means =
      harness::mean({{1700.0, std::nullopt}, {1800.0, 600.0}, {std::nullopt, 700.0}});
  CHECK(means.sm_mhz == 1750.0);
  CHECK(means.power_w == 650.0);
}
