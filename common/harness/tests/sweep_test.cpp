// The shapes of a sweep.

#include <harness/sweep.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

using namespace harness;

namespace {

std::set<std::string> names(const std::vector<Shape>& shapes) {
  std::set<std::string> out;
  for (const Shape& shape : shapes) out.insert(shape.text());
  return out;
}

}  // namespace

TEST_CASE("sweep: a seed's shapes are the same everywhere") {
  const std::vector<Shape> first = sweep_shapes(1, kSweepCount);
  REQUIRE(first.size() == kSweepCount);
  CHECK(first[0].text() == "338x2048x1536");
  CHECK(first[1].text() == "384");
  CHECK(first[2].text() == "1400x1608x384");
  CHECK(sweep_shapes(20260131, 3)[2].text() == "1632x1000x352");
  // Fewer are the first ones.
  const std::vector<Shape> few = sweep_shapes(1, 7);
  CHECK(std::equal(few.begin(), few.end(), first.begin()));
}

TEST_CASE("sweep: layers, squares and ragged shapes in their ranges") {
  for (const std::uint64_t seed : {1, 9, 10, 20260131}) {
    const std::vector<Shape> shapes = sweep_shapes(seed, kSweepCount);
    CHECK(names(shapes).size() == shapes.size());
    int layers = 0, multiples = 0, squares = 0;
    for (int i = 0; i < kSweepCount; ++i) {
      const Shape& s = shapes[static_cast<std::size_t>(i)];
      CAPTURE(seed, i, s.text());
      const auto [least, most] = std::minmax({s.m, s.n, s.k});
      CHECK((s.n % 8 == 0 && s.k % 8 == 0));
      if (sweep_kind(i) == "layer") {
        ++layers;
        CHECK((s.m >= 1 && s.m <= 8192));
        CHECK(std::any_of(kLayers.begin(), kLayers.end(),
                          [&](const Layer& l) { return l.n == s.n && l.k == s.k; }));
      } else if (sweep_kind(i) == "square") {
        ++squares;
        multiples += s.m % 128 == 0;
        CHECK((least == most && s.m % 16 == 0 && s.m >= 256 && s.m <= 8192));
      } else {
        CHECK((s.m % 8 == 0 && least >= 128 && most <= 8192));
      }
    }
    CHECK(layers * 10 == 4 * kSweepCount);
    CHECK(squares * 10 == 3 * kSweepCount);
    CHECK(multiples * 2 >= squares);
  }
}

TEST_CASE("sweep: what is reported has no shape that was tuned for") {
  std::set<std::string> tuned;
  for (std::uint64_t seed = 1; seed <= 9; ++seed)
    tuned.merge(names(sweep_shapes(seed, kSweepCount)));
  for (const std::uint64_t seed : {10, 20260131, 202601312}) {
    for (const std::string& name : names(sweep_shapes(seed, kSweepCount))) {
      CAPTURE(seed, name);
      CHECK(tuned.count(name) == 0);
    }
  }
}
