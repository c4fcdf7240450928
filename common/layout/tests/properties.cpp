// What the operations promise, on thousands of random layouts (fixed seeds). Each test also counts
// the admissible ones, so that it cannot pass by refusing everything.

#include <optional>

#include <test/catch.hpp>

#include "layouts.hpp"

using namespace layout;
using namespace layout::test;

constexpr int kRounds = 4000;

// The layout an operation gives, or nothing where it refuses.
template <class Operation>
static std::optional<Layout> attempt(Operation operation) {
  try {
    return operation();
  } catch (const Refused&) {
    return std::nullopt;
  }
}

TEST_CASE("coalesce is the same function with no more modes") {
  RandomLayouts random(1);
  for (int round = 0; round < kRounds; ++round) {
    const Layout l = random.mixed();
    const Layout c = coalesce(l);
    INFO(to_string(l));
    REQUIRE(image(c) == image(l));
    REQUIRE(c.depth() <= 1);
    REQUIRE(leaves(c).count <= leaves(l).count);
    for (int i = 0; i + 1 < leaves(c).count; ++i) {
      REQUIRE(leaves(c)[i].extent * leaves(c)[i].stride != leaves(c)[i + 1].stride);
    }
  }
}

TEST_CASE("composition is function composition") {
  RandomLayouts random(3);
  int admissible = 0;
  for (int round = 0; round < 4 * kRounds; ++round) {
    const Layout a = random.mixed();
    const Layout b = random.mixed();
    const auto c = attempt([&] { return compose(a, b); });
    const auto extended = attempt([&] { return compose_extended(a, b); });
    if (c) REQUIRE(extended);
    for (const auto& composed : {c, extended}) {
      if (!composed) continue;
      ++admissible;
      INFO(to_string(a) << " o " << to_string(b) << " = " << to_string(*composed));
      REQUIRE(composed->size() == b.size());
      REQUIRE(composed->rank() == b.rank());
      for (Int i = 0; i < b.size(); ++i) REQUIRE((*composed)(i) == a(b(i)));
    }
  }
  CHECK(admissible > kRounds);
}

TEST_CASE("complement is disjoint from the layout, and completes it where it is strict") {
  RandomLayouts random(5);
  int strict_cases = 0;
  int rounded_cases = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Layout a = random.chance(0.5) ? random.compact(0.4) : random.any();
    if (a.cosize() > 300) continue;
    const Leaves flat = leaves(a);
    Leaves moving;  // a mode of stride 0 repeats values and does not count
    for (int i = 0; i < flat.count; ++i) {
      if (flat[i].stride != 0) moving.push(flat[i]);
    }
    const Layout base = from_leaves(moving);
    const Int m = a.cosize() * random.pick({1, 2, 3}) + random.pick({0, 0, 1, 5});
    INFO(to_string(a) << " in " << m);
    if (const auto c = attempt([&] { return complement(a, m); })) {
      ++rounded_cases;
      const std::vector<Int> values = sorted(image(bundle(base, *c)));
      REQUIRE(std::adjacent_find(values.begin(), values.end()) == values.end());
    }
    // An M that the strict form takes, where the strides allow one.
    Int span = 1;
    for (int i = 0; i < flat.count; ++i) {
      if (flat[i].extent > 1) span = std::max(span, flat[i].extent * flat[i].stride);
    }
    for (const Int full : {span, 2 * span, 3 * span}) {
      const auto c = attempt([&] { return complement_strict(a, full); });
      if (!c) continue;
      ++strict_cases;
      REQUIRE(*c == complement(a, full));
      REQUIRE(sorted(image(bundle(base, *c))) == iota(full));
      const std::vector<Int> ordered = image(*c);
      REQUIRE(std::is_sorted(ordered.begin(), ordered.end()));
    }
  }
  CHECK(strict_cases > kRounds);
  CHECK(rounded_cases > kRounds / 4);
}

TEST_CASE("inverses invert") {
  RandomLayouts random(6);
  int partial = 0;
  int left_cases = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Layout bijection = random.compact();
    const Layout r = inverse(bijection);
    INFO(to_string(bijection));
    REQUIRE(r == right_inverse(bijection));
    REQUIRE(r.size() == bijection.size());
    for (Int i = 0; i < r.size(); ++i) {
      REQUIRE(bijection(r(i)) == i);
      REQUIRE(r(bijection(i)) == i);
    }
    const Layout any = random.mixed();
    const Layout right = right_inverse(any);
    INFO(to_string(any));
    for (Int i = 0; i < right.size(); ++i) REQUIRE(any(right(i)) == i);
    // No larger inverse: no mode continues it.
    if (right.size() < any.size()) ++partial;
    const Leaves flat = leaves(coalesce(any));
    for (int i = 0; i < flat.count; ++i)
      REQUIRE((flat[i].extent == 1 || flat[i].stride != right.size()));
    if (const auto l = attempt([&] { return left_inverse(any); })) {
      ++left_cases;
      for (Int i = 0; i < any.size(); ++i) REQUIRE((*l)(any(i)) == i);
    }
  }
  CHECK(partial > kRounds / 10);
  CHECK(left_cases > kRounds / 4);
}

TEST_CASE("divides permute the values") {
  RandomLayouts random(7);
  int admissible = 0;
  for (int round = 0; round < 4 * kRounds; ++round) {
    const Layout a = random.mixed();
    const Layout b = random.compact(0.3);
    if (const auto d = attempt([&] { return logical_divide(a, b); })) {
      ++admissible;
      INFO(to_string(a) << " by " << to_string(b) << " = " << to_string(*d));
      REQUIRE(sorted(image(*d)) == sorted(image(a)));
      REQUIRE(d->rank() == 2);
      REQUIRE(d->mode(0).size() == b.size());
      for (Int i = 0; i < b.size(); ++i) REQUIRE(d->mode(0)(i) == a(b(i)));
    }
  }
  CHECK(admissible > kRounds / 2);
}

TEST_CASE("products are copies of the block, apart from each other") {
  RandomLayouts random(9);
  int admissible = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Layout a = random.compact(0.2);
    const Layout b = random.compact();
    if (a.size() * b.size() > 1000) continue;
    const auto p = attempt([&] { return logical_product(a, b); });
    if (!p) continue;
    ++admissible;
    INFO(to_string(a) << " by " << to_string(b) << " = " << to_string(*p));
    REQUIRE(p->mode(0) == a);
    REQUIRE(p->mode(1).size() == b.size());
    const std::vector<Int> values = sorted(image(*p));
    REQUIRE(std::adjacent_find(values.begin(), values.end()) == values.end());
    // The copies follow each other as B says: copy number B(j) lies where the complement has its
    // element B(j).
    const Layout c = complement(a, a.size() * b.cosize());
    for (Int j = 0; j < b.size(); ++j) REQUIRE((*p)(IntTuple{0, j}) == c(b(j)));
    const auto strict = attempt([&] { return logical_product_strict(a, b); });
    if (strict) {
      REQUIRE(image(*strict) == image(*p));
      if (a.cosize() == a.size()) REQUIRE(values == iota(a.size() * b.size()));
    }
    // All forms hold the same values; blocked and raked differ in who is inside.
    REQUIRE(sorted(image(tiled_product(a, b))) == values);
    if (const auto blocked = attempt([&] { return blocked_product(a, b); })) {
      const Layout raked = raked_product(a, b);
      REQUIRE(sorted(image(*blocked)) == values);
      REQUIRE(sorted(image(raked)) == values);
      for (int mode = 0; mode < blocked->rank(); ++mode) {
        REQUIRE(blocked->mode(mode).mode(0) == raked.mode(mode).mode(1));
        REQUIRE(blocked->mode(mode).mode(1) == raked.mode(mode).mode(0));
      }
    }
  }
  CHECK(admissible > kRounds / 4);
}

TEST_CASE("swizzles are bijections and their own inverses") {
  for (int b = 0; b <= 4; ++b) {
    for (int m = 0; m <= 3; ++m) {
      for (int s = b; s <= 5; ++s) {
        const Swizzle swizzle(b, m, s);
        std::vector<Int> values;
        bool moved = false;
        for (Int i = 0; i < 2 * swizzle.period(); ++i) {
          const Int to = swizzle(i);
          REQUIRE(swizzle(to) == i);
          REQUIRE(to >> m << m == swizzle(i >> m << m));     // units stay whole
          REQUIRE(to % (Int{1} << m) == i % (Int{1} << m));  // in their order
          REQUIRE(to >> (m + b) == i >> (m + b));            // only B bits above M change
          REQUIRE((to >> m ^ i >> m) ==
                  (i >> (m + s) & ((Int{1} << b) - 1)));  // by the row number's
          values.push_back(to);
          moved = moved || to != i;
        }
        REQUIRE(sorted(values) == iota(2 * swizzle.period()));
        REQUIRE(moved == (b > 0));
      }
    }
  }
}
