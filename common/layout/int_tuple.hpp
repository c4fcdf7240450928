#pragma once

// Integers and nested tuples of integers: the shapes, strides and coordinates of layouts.
//
//   4            a leaf
//   (4,(2,2))    a tuple of rank 2 and depth 2 whose second entry is a tuple itself
//
// An IntTuple is a plain value of fixed capacity: its nodes stand in pre-order in one array, and
// every node knows how many nodes its subtree spans. That makes it usable in constant expressions,
// as a template argument, and at run time behind a parser. Everything here is for the compiler or
// the host; device code uses the results through at.hpp.

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace layout {

using Int = std::int64_t;

inline constexpr int kMaxNodes = 48;          // of one IntTuple, inner nodes included
inline constexpr int kMaxLeaves = kMaxNodes;  // of one layout
inline constexpr Int kMaxInt = Int{1} << 48;  // sizes, strides and offsets stay below this

// Thrown by every operation whose precondition fails; what() is one line that names the operation,
// the numbers and the failing condition. In a constant expression the throw makes the evaluation,
// and so the compilation, fail.
struct Refused : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Texts, and anything that to_string() takes, written one after the other.
template <class... Parts>
inline std::string join(const Parts&... parts) {
  std::string line;
  const auto append = [&line](const auto& part) {
    using std::to_string;
    if constexpr (requires { std::string(part); }) {
      line += part;
    } else {
      line += to_string(part);
    }
  };
  (append(parts), ...);
  return line;
}

// Throws Refused with all parts.
template <class... Parts>
[[noreturn]] inline void refuse(const Parts&... parts) {
  throw Refused(join(parts...));
}

constexpr Int checked_add(Int a, Int b) {
  if (a > kMaxInt - b) refuse("overflow: ", a, " + ", b, " exceeds 2^48");
  return a + b;
}

constexpr Int checked_mul(Int a, Int b) {
  if (b != 0 && a > kMaxInt / b) refuse("overflow: ", a, " * ", b, " exceeds 2^48");
  return a * b;
}

constexpr Int ceil_div(Int a, Int b) {
  return (a + b - 1) / b;
}

constexpr bool is_power_of_two(Int a) {
  return a > 0 && (a & (a - 1)) == 0;
}

// log2 of a power of two; refuses anything else.
constexpr int log2_exact(Int a) {
  if (!is_power_of_two(a)) refuse(a, " is not a power of two");
  int log = 0;
  while (a > 1) a /= 2, ++log;
  return log;
}

struct IntTuple {
  struct Node {
    Int value = 0;  // of a leaf; 0 in an inner node
    int span = 0;   // nodes in this subtree, this one included: 1 for a leaf
    constexpr bool operator==(const Node&) const = default;
  };
  Node nodes[kMaxNodes]{};  // pre-order; public so that the type may be a template argument

  constexpr IntTuple() : IntTuple(0) {}
  constexpr IntTuple(Int value) {
    if (value < 0 || value > kMaxInt) refuse("the integer ", value, " is outside [0, 2^48]");
    nodes[0] = {value, 1};
  }
  // {2, {3, 4}} is (2,(3,4)); note that {2} is (2), a tuple of one entry.
  constexpr IntTuple(std::initializer_list<IntTuple> entries) {
    nodes[0] = {0, 1};
    for (const IntTuple& entry : entries) push(entry);
  }

  // A tuple without entries, to be filled by push().
  static constexpr IntTuple empty() { return IntTuple(std::initializer_list<IntTuple>{}); }

  constexpr void push(const IntTuple& entry) {
    const int at = nodes[0].span;
    const int more = entry.nodes[0].span;
    if (at + more > kMaxNodes) refuse("a nested tuple of more than ", kMaxNodes, " nodes");
    for (int i = 0; i < more; ++i) nodes[at + i] = entry.nodes[i];
    nodes[0].span = at + more;
  }

  constexpr int node_count() const { return nodes[0].span; }
  constexpr bool is_leaf(int node = 0) const { return nodes[node].span == 1; }
  constexpr Int value() const { return nodes[0].value; }

  // Number of entries; a leaf has rank 1 and is its own entry 0.
  constexpr int rank() const {
    if (is_leaf()) return 1;
    int count = 0;
    for (int node = 1; node < node_count(); node += nodes[node].span) ++count;
    return count;
  }

  constexpr IntTuple operator[](int entry) const {
    if (entry < 0 || entry >= rank()) {
      refuse("entry ", entry, " of a tuple of rank ", rank());
    }
    if (is_leaf()) return *this;
    int node = 1;
    for (; entry > 0; --entry) node += nodes[node].span;
    IntTuple result(0);
    for (int i = 0; i < nodes[node].span; ++i) result.nodes[i] = nodes[node + i];
    return result;
  }

  // Product of all leaves: product of (4,(2,2)) is 16.
  constexpr Int product() const {
    Int result = 1;
    for (int node = 0; node < node_count(); ++node) {
      if (is_leaf(node)) result = checked_mul(result, nodes[node].value);
    }
    return result;
  }

  constexpr bool operator==(const IntTuple&) const = default;
};

// Same nesting, whatever the numbers: (4,(2,2)) and (1,(8,0)) are congruent, (4,2) and (4,(2,2))
// are not.
constexpr bool congruent(const IntTuple& a, const IntTuple& b) {
  if (a.node_count() != b.node_count()) return false;
  for (int node = 0; node < a.node_count(); ++node) {
    if (a.nodes[node].span != b.nodes[node].span) return false;
  }
  return true;
}

// 4, (2,3), (4,(2,2)).
inline std::string to_string(const IntTuple& tuple) {
  if (tuple.is_leaf()) return std::to_string(tuple.value());
  std::string text = "(";
  for (int i = 0; i < tuple.rank(); ++i) {
    if (i > 0) text += ',';
    text += to_string(tuple[i]);
  }
  text += ')';
  return text;
}

// Coordinate of an integer in a shape, first entry fastest (colexicographic order):
//   i -> (i mod s0, i/s0 mod s1, ..., i/(s0...s(n-2)))      e.g. coordinate(4, (2,3)) = (0,2)
// The last digit is not reduced, so that integers past the end of the shape stay distinct.
constexpr IntTuple coordinate(Int i, const IntTuple& shape) {
  if (shape.is_leaf()) return IntTuple(i);
  IntTuple result = IntTuple::empty();
  for (int k = 0; k < shape.rank(); ++k) {
    const Int extent = shape[k].product();
    if (extent == 0) refuse("a shape of extent 0 has no coordinates: ", shape);
    const bool last = k + 1 == shape.rank();
    result.push(coordinate(last ? i : i % extent, shape[k]));
    i /= extent;
  }
  return result;
}

// Its inverse: (x0, x1, ...) -> x0 + x1 s0 + x2 s0 s1 + ...       e.g. index((0,2), (2,3)) = 4
// An integer may stand for the coordinate of a whole sub-shape. Refuses a coordinate with another
// rank than its shape.
constexpr Int index(const IntTuple& coord, const IntTuple& shape) {
  if (coord.is_leaf()) return coord.value();
  if (coord.rank() != shape.rank()) {
    refuse("the coordinate ", coord, " has rank ", coord.rank(), ", the shape ", shape,
           " has rank ", shape.rank());
  }
  Int result = 0;
  Int scale = 1;
  for (int k = 0; k < coord.rank(); ++k) {
    result = checked_add(result, checked_mul(index(coord[k], shape[k]), scale));
    scale = checked_mul(scale, shape[k].product());
  }
  return result;
}

}  // namespace layout
