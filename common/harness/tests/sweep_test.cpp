// The shapes of a sweep.

#include <harness/sweep.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

using namespace harness;

namespace {

std::set<std::string> names(std::uint64_t seed) {
  std::set<std::string> out;
  for (const Shape& shape : sweep_shapes(seed, kSweepCount)) out.insert(shape.text());
  return out;
}

}  // namespace

TEST_CASE("sweep: a seed's shapes are the same everywhere, and each is there once") {
  const std::vector<Shape> first = sweep_shapes(1, 3);
  CHECK(first[0].text() == "338x2048x1536");
  CHECK(first[1].text() == "384");
  CHECK(first[2].text() == "1400x1608x384");
  CHECK(sweep_shapes(20260131, 3)[2].text() == "1632x1000x352");
  CHECK(names(1).size() == kSweepCount);
}

TEST_CASE("sweep: squares and ragged shapes in their ranges, as many of each as promised") {
  const std::uint64_t seed = GENERATE(1, 9, 10, 20260131);
  int squares = 0, multiples = 0;
  for (const Shape& s : sweep_shapes(seed, kSweepCount)) {
    const auto [least, most] = std::minmax({s.m, s.n, s.k});
    CAPTURE(seed, s.text());
    CHECK((s.n % 8 == 0 && s.k % 8 == 0 && least >= 1));
    if (least != most) continue;
    ++squares;
    multiples += s.m % 128 == 0;
    CHECK((s.m % 16 == 0 && s.m >= 256 && s.m <= 8192));
  }
  CHECK(squares >= 3 * kSweepCount / 10);
  CHECK(multiples * 2 >= squares);
}

TEST_CASE("sweep: what is reported has no shape that was tuned for") {
  std::set<std::string> tuned;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) tuned.merge(names(seed));
  for (const std::uint64_t seed : {10, 20260131, 202601312}) {
    for (const std::string& name : names(seed)) {
      CAPTURE(seed, name);
      CHECK(tuned.count(name) == 0);
    }
  }
}
