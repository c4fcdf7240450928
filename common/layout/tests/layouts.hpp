#pragma once

// Helpers of the layout tests: images of layouts, random layouts, refusals.

#include <algorithm>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <layout/layout.hpp>

namespace layout::test {

// L(0), L(1), ..., L(size-1).
template <class L>
std::vector<Int> image(const L& l) {
  std::vector<Int> values(static_cast<std::size_t>(l.size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = l(static_cast<Int>(i));
  return values;
}

inline std::vector<Int> sorted(std::vector<Int> values) {
  std::sort(values.begin(), values.end());
  return values;
}

inline std::vector<Int> iota(Int n) {
  std::vector<Int> values(static_cast<std::size_t>(n));
  for (Int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = i;
  return values;
}

// The line with which an operation refuses, or "accepted".
template <class Operation>
std::string refusal(Operation operation) {
  try {
    operation();
  } catch (const Refused& refused) {
    return refused.what();
  }
  return "accepted";
}

// Random layouts of small extents. Compact ones permute [0, size); others may have gaps,
// repetitions or both.
class RandomLayouts {
 public:
  explicit RandomLayouts(unsigned seed) : engine_(seed) {}

  Int pick(std::initializer_list<Int> choices) {
    return choices
        .begin()[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(engine_)];
  }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(engine_); }

  IntTuple shape(int depth = 2) {
    IntTuple result = IntTuple::empty();
    const int rank = static_cast<int>(pick({1, 2, 2, 3}));
    for (int i = 0; i < rank; ++i) {
      result.push(depth > 1 && chance(0.3) ? shape(depth - 1)
                                           : IntTuple(pick({1, 2, 2, 3, 4, 4, 6, 8})));
    }
    return result;
  }

  // A bijection of [0, size): compact strides, the leaves in random order. With gaps, some strides
  // are widened.
  Layout compact(double gaps = 0) {
    const IntTuple extents = shape();
    IntTuple strides = extents;
    std::vector<int> nodes;
    for (int node = 0; node < extents.node_count(); ++node) {
      if (extents.is_leaf(node)) nodes.push_back(node);
    }
    std::shuffle(nodes.begin(), nodes.end(), engine_);
    Int next = 1;
    for (int node : nodes) {
      if (gaps > 0 && chance(gaps)) next *= pick({2, 3});
      strides.nodes[node].value = next;
      next *= extents.nodes[node].value;
    }
    return Layout(extents, strides);
  }

  // Any strides, 0 included.
  Layout any() {
    const IntTuple extents = shape();
    IntTuple strides = extents;
    for (int node = 0; node < extents.node_count(); ++node) {
      if (extents.is_leaf(node))
        strides.nodes[node].value = pick({0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24});
    }
    return Layout(extents, strides);
  }

  Layout mixed() {
    if (chance(0.4)) return compact();
    return chance(0.5) ? compact(0.3) : any();
  }

 private:
  std::mt19937 engine_;
};

}  // namespace layout::test
