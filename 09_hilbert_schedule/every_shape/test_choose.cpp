// The choice of a tiling.

#include "choose.hpp"

#include <gemm/inputs.hpp>
#include <test/catch.hpp>

#include <cstdint>

using namespace every_shape;

TEST_CASE("every_shape: a tiling for every problem") {
  struct Shape {
    std::int64_t m, n, k;
  };
  const auto time = [](const Tiling& tiling, Shape s, int sms = 132) {
    const auto problem = gemm::packed_problem(s.m, s.n, s.k, gemm::DataType::kBf16);
    return microseconds(tiling, problem, sms);
  };
  // Nothing to do takes what a launch takes; more of anything never takes less.
  CHECK(time(kWide, {0, 0, 0}) < 5);
  for (const Tiling& tiling : {kWide, kFlatPair, kSmall, kTinyDeep, kSlim}) {
    for (const std::int64_t size : {1, 100, 1000, 4096}) {
      CAPTURE(tiling.name, size);
      const double here = time(tiling, {size, size, size});
      CHECK(here > 0);
      CHECK(time(tiling, {2 * size, size, size}) >= here);
      CHECK(time(tiling, {size, 2 * size, size}) >= here);
      CHECK(time(tiling, {size, size, 2 * size}) >= here);
      CHECK(time(tiling, {size, size, size}, 66) >= here);
    }
  }
  // Large tiles for large problems, small ones where there are few, divided where there are fewer.
  CHECK(time(kWide, {8192, 8192, 8192}) < time(kBlock, {8192, 8192, 8192}));
  CHECK(time(kWide, {8192, 8192, 8192}) < time(kSmall, {8192, 8192, 8192}));
  CHECK(time(kSlim, {512, 512, 512}) < time(kWide, {512, 512, 512}));
  CHECK(time(kSmall, {1024, 1024, 1024}) < time(kWide, {1024, 1024, 1024}));
  CHECK(time(kSmall, {1024, 1024, 1024}) < time(kUpright, {1024, 1024, 1024}));
  // Clusters where each block has several tiles.
  CHECK(time(kFlat, {1536, 1536, 1536}) < time(kFlatPair, {1536, 1536, 1536}));
  CHECK(time(kFlatPair, {3072, 3072, 3072}) < time(kFlat, {3072, 3072, 3072}));
  CHECK(time(kSlimSplit, {16, 1024, 8192}) < time(kTiny, {16, 1024, 8192}));
  CHECK(time(kTinySplit, {256, 1024, 8192}) < time(kTiny, {256, 1024, 8192}));
  // Not divided where tiles are enough.
  CHECK(time(kSlimSplit, {64, 33 * 32, 8192}) < kNever);
  CHECK(time(kSlimSplit, {64, 34 * 32, 8192}) == kNever);
}
