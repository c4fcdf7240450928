#pragma once

// Helpers of the layout tests: images of layouts, random layouts, refusals.

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <layout/layout.hpp>

namespace layout::test {

// L(0), L(1), ..., L(size-1).
inline std::vector<Int> image(const Layout& l) {
  std::vector<Int> values;
  for (Int i = 0; i < l.size(); ++i) values.push_back(l(i));
  return values;
}

inline std::vector<Int> sorted(std::vector<Int> values) {
  std::sort(values.begin(), values.end());
  return values;
}

inline std::vector<Int> iota(Int n) {
  return image(Layout(n));
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
    return with_strides([&, next = Int{1}](Int extent) mutable {
      if (chance(gaps)) next *= pick({2, 3});
      return std::exchange(next, next * extent);
    });
  }

  // Any strides, 0 included.
  Layout any() {
    return with_strides([&](Int) { return pick({0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24}); });
  }

  Layout mixed() {
    if (chance(0.4)) return compact();
    return chance(0.5) ? compact(0.3) : any();
  }

 private:
  // stride_of(extent) for all leaves, in random order.
  template <class StrideOf>
  Layout with_strides(StrideOf stride_of) {
    const IntTuple extents = shape();
    IntTuple strides = extents;
    std::vector<int> nodes(static_cast<std::size_t>(extents.node_count()));
    std::iota(nodes.begin(), nodes.end(), 0);
    std::shuffle(nodes.begin(), nodes.end(), engine_);
    for (const int node : nodes) {
      if (extents.is_leaf(node)) strides.nodes[node].value = stride_of(extents.nodes[node].value);
    }
    return Layout(extents, strides);
  }

  std::mt19937 engine_;
};

}  // namespace layout::test
