// What the operations guarantee, on thousands of random layouts (fixed seeds). Each test also
// counts the admissible ones, so that it cannot pass by refusing everything.

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

// A result of an operation on random layouts must exist in at least one round of `share`.
template <class Round>
static void in_rounds(int rounds, int share, unsigned seed, Round round) {
  RandomLayouts random(seed);
  int admissible = 0;
  for (int i = 0; i < rounds; ++i) admissible += round(random) ? 1 : 0;
  CHECK(admissible > rounds / share);
}

TEST_CASE("composition is function composition") {
  in_rounds(4 * kRounds, 4, 3, [](RandomLayouts& random) {
    const Layout a = random.mixed(), b = random.mixed();
    const auto c = attempt([&] { return compose(a, b); });
    const auto extended = attempt([&] { return compose_extended(a, b); });
    if (c) REQUIRE(extended);
    for (const auto& composed : {c, extended}) {
      if (!composed) continue;
      INFO(to_string(a) << " o " << to_string(b) << " = " << to_string(*composed));
      REQUIRE(composed->size() == b.size());
      REQUIRE(composed->rank() == b.rank());
      for (Int i = 0; i < b.size(); ++i) REQUIRE((*composed)(i) == a(b(i)));
    }
    return c.has_value();
  });
}

TEST_CASE("complement is disjoint from the layout, and completes it where it is strict") {
  in_rounds(kRounds, 4, 5, [](RandomLayouts& random) {
    const Layout a = random.chance(0.5) ? random.compact(0.4) : random.any();
    if (a.cosize() > 300) return false;
    const Leaves flat = leaves(a);
    Leaves moving;  // a mode of stride 0 repeats values and does not count
    Int span = 1;
    for (int i = 0; i < flat.count; ++i) {
      if (flat[i].stride != 0) moving.push(flat[i]);
      if (flat[i].extent > 1) span = std::max(span, flat[i].extent * flat[i].stride);
    }
    const Layout base = from_leaves(moving);
    const Int m = a.cosize() * random.pick({1, 2, 3}) + random.pick({0, 0, 1, 5});
    INFO(to_string(a) << " in " << m);
    if (const auto c = attempt([&] { return complement(a, m); })) {
      const std::vector<Int> values = sorted(image(bundle(base, *c)));
      REQUIRE(std::adjacent_find(values.begin(), values.end()) == values.end());
    }
    // An M that the strict form takes, where the strides allow one.
    const Int full = span * random.pick({1, 2, 3});
    const auto c = attempt([&] { return complement_strict(a, full); });
    if (!c) return false;
    REQUIRE(*c == complement(a, full));
    REQUIRE(sorted(image(bundle(base, *c))) == iota(full));
    REQUIRE(image(*c) == sorted(image(*c)));
    return true;
  });
}

TEST_CASE("inverses invert") {
  in_rounds(kRounds, 4, 6, [](RandomLayouts& random) {
    const Layout bijection = random.compact();
    const Layout r = inverse(bijection);
    INFO(to_string(bijection));
    REQUIRE(r.size() == bijection.size());
    for (Int i = 0; i < r.size(); ++i) {
      REQUIRE(bijection(r(i)) == i);
      REQUIRE(r(bijection(i)) == i);
    }
    const Layout any = random.mixed();
    const Layout right = right_inverse(any);
    INFO(to_string(any));
    for (Int i = 0; i < right.size(); ++i) REQUIRE(any(right(i)) == i);
    const Leaves flat = leaves(coalesce(any));
    for (int i = 0; i < flat.count; ++i) {  // no larger inverse: no mode continues it
      REQUIRE((flat[i].extent == 1 || flat[i].stride != right.size()));
    }
    const auto left = attempt([&] { return left_inverse(any); });
    for (Int i = 0; left && i < any.size(); ++i) REQUIRE((*left)(any(i)) == i);
    return left.has_value();
  });
}

TEST_CASE("products are copies of the block, apart from each other") {
  in_rounds(kRounds, 4, 9, [](RandomLayouts& random) {
    const Layout a = random.compact(0.2), b = random.compact();
    if (a.size() * b.size() > 1000) return false;
    const auto p = attempt([&] { return logical_product(a, b); });
    if (!p) return false;
    INFO(to_string(a) << " by " << to_string(b) << " = " << to_string(*p));
    REQUIRE(p->mode(0) == a);
    const std::vector<Int> values = sorted(image(*p));
    REQUIRE(std::adjacent_find(values.begin(), values.end()) == values.end());
    // Copy number B(j) lies where the complement has its element B(j).
    const Layout c = complement(a, a.size() * b.cosize());
    for (Int j = 0; j < b.size(); ++j) REQUIRE((*p)(IntTuple{0, j}) == c(b(j)));
    if (const auto strict = attempt([&] { return logical_product_strict(a, b); })) {
      REQUIRE(image(*strict) == image(*p));
    }
    // Blocked and raked hold the same values and differ in who is inside.
    if (const auto blocked = attempt([&] { return blocked_product(a, b); })) {
      const Layout raked = raked_product(a, b);
      REQUIRE(sorted(image(*blocked)) == values);
      for (int mode = 0; mode < blocked->rank(); ++mode) {
        REQUIRE(blocked->mode(mode).mode(0) == raked.mode(mode).mode(1));
        REQUIRE(blocked->mode(mode).mode(1) == raked.mode(mode).mode(0));
      }
    }
    return true;
  });
}

TEST_CASE("swizzles are their own inverses and xor the row's number into the unit's") {
  const int b = GENERATE(0, 1, 2, 3, 4), m = GENERATE(0, 1, 2, 3);
  for (int s = b; s <= 5; ++s) {
    const Swizzle swizzle(b, m, s);
    for (Int i = 0; i < 2 * swizzle.period(); ++i) {
      REQUIRE(swizzle(swizzle(i)) == i);
      const Int row = i >> (m + s) & ((Int{1} << b) - 1);
      REQUIRE(swizzle(i) == (i ^ row << m));
    }
  }
}
