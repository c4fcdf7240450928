// Chapter 09's choice of a tiling.

#include "choose.hpp"

#include <test/catch.hpp>

#include <cstdint>

using namespace hilbert_schedule;

TEST_CASE("09: a tiling for every problem") {
  const auto time = [](const Tiling& tiling, Shape shape, int sms = 132) {
    return microseconds(tiling, shape, sms);
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
