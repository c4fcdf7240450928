#include "tma_box.hpp"

#include <algorithm>

namespace words {

namespace {

int swizzle_bytes(core::SwizzleMode mode) {
  switch (mode) {
    case core::SwizzleMode::kNone:
      return 0;
    case core::SwizzleMode::k32B:
      return 32;
    case core::SwizzleMode::k64B:
      return 64;
    case core::SwizzleMode::k128B:
      return 128;
  }
  return 0;
}

// A swizzled tile has rows as long as the swizzle's span, whether or not the box fills them ("if
// the swizzle width exceeds the inner dimension, ensure that the shared memory is allocated to
// accommodate the full swizzle width", CUDA C++ Programming Guide).
std::uint32_t row_pitch(const BoxTest& test) {
  const auto row = test.shape.box[0] * static_cast<std::uint32_t>(test.element_bytes());
  return std::max(row, static_cast<std::uint32_t>(swizzle_bytes(test.shape.swizzle)));
}

std::uint32_t rows(const BoxTest& test) {
  std::uint32_t out = 1;
  for (int d = 1; d < test.shape.rank; ++d) out *= test.shape.box[d];
  return out;
}

// Memory as lines of 128 bytes of eight 16-byte chunks: the swizzle moves a chunk within its span
// to the place that differs from its own by the line's number.
std::uint32_t swizzle(core::SwizzleMode mode, std::uint32_t byte) {
  const auto chunks = static_cast<std::uint32_t>(swizzle_bytes(mode) / 16);
  if (chunks == 0) return byte;
  const std::uint32_t line = byte / 128, chunk = byte / 16 % 8, rest = byte % 16;
  return line * 128 + (chunk ^ line % chunks) * 16 + rest;
}

const char* name(Element element) {
  return element == Element::kBf16 ? "bf16" : element == Element::kFp16 ? "fp16" : "float";
}

std::string name(core::SwizzleMode mode) {
  return mode == core::SwizzleMode::kNone ? "none" : std::to_string(swizzle_bytes(mode)) + "B";
}

constexpr Element kElements[] = {Element::kBf16, Element::kFp16, Element::kFloat};
constexpr core::SwizzleMode kModes[] = {core::SwizzleMode::kNone, core::SwizzleMode::k32B,
                                        core::SwizzleMode::k64B, core::SwizzleMode::k128B};

// Each dimension starts at the next multiple of 16 bytes, and `padding` more, behind the one below.
BoxTest make(Element element, core::SwizzleMode mode, std::vector<int> size, std::vector<int> box,
             std::vector<int> at, const std::string& where, int padding = 16) {
  BoxTest test;
  test.element = element;
  test.shape.rank = static_cast<int>(size.size());
  test.shape.swizzle = mode;
  std::uint64_t stride = static_cast<std::uint64_t>(test.element_bytes());
  for (int d = 0; d < test.shape.rank; ++d) {
    test.shape.size[d] = static_cast<std::uint64_t>(size[d]);
    test.shape.box[d] = static_cast<std::uint32_t>(box[d]);
    test.shape.stride_bytes[d] = stride;
    test.at[d] = at[d];
    stride = (stride * static_cast<std::uint64_t>(size[d]) + 15) / 16 * 16 +
             static_cast<std::uint64_t>(padding);
  }
  test.name = std::to_string(size.size()) + "d." + name(element) + "." + name(mode) + "/" + where;
  return test;
}

// Elements in the inner row of a box that fills the swizzle's span; 80 bytes without one.
int span(Element element, core::SwizzleMode mode) {
  const int bytes = mode == core::SwizzleMode::kNone ? 80 : swizzle_bytes(mode);
  return bytes / (element == Element::kFloat ? 4 : 2);
}

void add_rank_2(std::vector<BoxTest>& out) {
  struct Place {
    const char* name;
    int at[2];
  };
  const Place places[] = {{"inside", {8, 5}},         {"odd.row", {16, 7}},
                          {"before", {-8, -3}},       {"beyond", {88, 30}},
                          {"left", {-16, 4}},         {"below", {8, 33}},
                          {"outside.k", {112, 2}},    {"outside.row", {0, 37}},
                          {"outside.neg", {-8, -24}}, {"outside.far", {-1000000, 1000000}}};
  for (const Element element : kElements) {
    for (const core::SwizzleMode mode : kModes) {
      for (const Place& place : places) {
        out.push_back(make(element, mode, {97, 37}, {span(element, mode), 24},
                           {place.at[0], place.at[1]}, place.name));
      }
    }
  }
}

void add_higher_ranks(std::vector<BoxTest>& out) {
  int turn = 0;
  for (const core::SwizzleMode mode : kModes) {
    for (int variant = 0; variant < 3; ++variant) {
      const char* where = variant == 0 ? "inside" : variant == 1 ? "before" : "beyond";
      const Element e3 = kElements[turn++ % 3], e4 = kElements[turn++ % 3],
                    e5 = kElements[turn++ % 3];
      const auto pick = [&](std::vector<int> inside, std::vector<int> before,
                            std::vector<int> beyond) {
        return variant == 0 ? inside : variant == 1 ? before : beyond;
      };
      out.push_back(make(e3, mode, {75, 9, 5}, {span(e3, mode), 4, 3},
                         pick({8, 2, 1}, {-8, -1, -2}, {72, 7, 3}), where));
      out.push_back(make(e4, mode, {75, 5, 4, 3}, {span(e4, mode), 3, 2, 2},
                         pick({8, 1, 1, 1}, {-8, -1, -1, -1}, {64, 3, 3, 2}), where));
      out.push_back(make(e5, mode, {75, 4, 3, 3, 2}, {span(e5, mode), 2, 2, 2, 2},
                         pick({8, 2, 1, 1, 0}, {-8, -1, -1, -1, -1}, {64, 3, 2, 2, 1}), where));
    }
  }
}

void add_special(std::vector<BoxTest>& out) {
  using enum core::SwizzleMode;
  // The longest box in either direction, and the smallest tensor.
  out.push_back(make(Element::kBf16, k128B, {130, 300}, {64, 256}, {64, 40}, "256.rows"));
  out.push_back(make(Element::kFp16, kNone, {300, 6}, {256, 4}, {48, 1}, "256.wide"));
  out.push_back(make(Element::kFloat, k32B, {1, 1}, {8, 2}, {0, 0}, "one.element"));
  out.push_back(make(Element::kFloat, kNone, {1, 1, 1, 1, 1}, {4, 1, 2, 1, 2}, {0, 0, -1, 0, 0},
                     "one.element"));
  out.push_back(make(Element::kBf16, kNone, {96, 37}, {40, 24}, {0, -3}, "above"));
  out.push_back(make(Element::kBf16, kNone, {96, 37}, {40, 24}, {88, 30}, "beyond.by.chunks"));
  out.push_back(make(Element::kBf16, k128B, {96, 37}, {64, 24}, {64, 30}, "beyond.by.chunks"));
  out.push_back(make(Element::kBf16, kNone, {97, 37}, {40, 24}, {1000000, 1000000}, "far"));
  out.push_back(make(Element::kBf16, k64B, {96, 12}, {32, 8}, {32, 4}, "packed.rows", 0));
  // Rows of K elements seen as K/64 slices of 64: a third dimension that advances inside the row,
  // so that one copy brings a tile wider than the swizzle's span.
  BoxTest sliced = make(Element::kBf16, k128B, {64, 40, 3}, {64, 16, 3}, {0, 8, 0}, "sliced");
  sliced.shape.stride_bytes[1] = 3 * 128 + 32;
  sliced.shape.stride_bytes[2] = 128;
  out.push_back(sliced);
  sliced.name = "3d.bf16.128B/sliced.beyond";
  sliced.at[1] = 30;
  sliced.at[2] = 1;
  out.push_back(sliced);
}

}  // namespace

std::uint32_t BoxTest::box_bytes() const {
  return rows(*this) * shape.box[0] * static_cast<std::uint32_t>(element_bytes());
}

std::uint32_t BoxTest::tile_bytes() const {
  return rows(*this) * row_pitch(*this);
}

std::size_t BoxTest::tensor_bytes() const {
  std::size_t last = (shape.size[0] - 1) * static_cast<std::size_t>(element_bytes());
  for (int d = 1; d < shape.rank; ++d) last += (shape.size[d] - 1) * shape.stride_bytes[d];
  return last + static_cast<std::size_t>(element_bytes());
}

std::vector<BoxElement> elements(const BoxTest& test) {
  const core::TensorMapShape& shape = test.shape;
  std::vector<BoxElement> out;
  for (std::uint32_t row = 0; row < rows(test); ++row) {
    std::int64_t row_byte = 0;
    bool row_inside = true;
    std::uint32_t rest = row;
    for (int d = 1; d < shape.rank; ++d) {
      const std::int64_t coordinate = test.at[d] + std::int64_t{rest % shape.box[d]};
      rest /= shape.box[d];
      row_byte += coordinate * static_cast<std::int64_t>(shape.stride_bytes[d]);
      row_inside =
          row_inside && coordinate >= 0 && coordinate < static_cast<std::int64_t>(shape.size[d]);
    }
    for (std::uint32_t col = 0; col < shape.box[0]; ++col) {
      const std::int64_t coordinate = test.at[0] + std::int64_t{col};
      const bool inside =
          row_inside && coordinate >= 0 && coordinate < static_cast<std::int64_t>(shape.size[0]);
      const std::uint32_t byte =
          row * row_pitch(test) + col * static_cast<std::uint32_t>(test.element_bytes());
      out.push_back(
          {swizzle(shape.swizzle, byte), row_byte + coordinate * test.element_bytes(), inside});
    }
  }
  return out;
}

std::vector<BoxTest> box_tests() {
  std::vector<BoxTest> out;
  add_rank_2(out);
  add_higher_ranks(out);
  add_special(out);
  return out;
}

std::vector<BoxTest> short_row_tests() {
  using enum core::SwizzleMode;
  struct Row {
    core::SwizzleMode mode;
    int bytes;
  };
  const Row short_rows[] = {{k128B, 16}, {k128B, 32}, {k128B, 64}, {k128B, 96},
                            {k64B, 16},  {k64B, 32},  {k64B, 48},  {k32B, 16}};
  std::vector<BoxTest> out;
  for (const Row& row : short_rows) {
    const std::string where = std::to_string(row.bytes) + ".bytes";
    out.push_back(make(Element::kBf16, row.mode, {97, 37}, {row.bytes / 2, 24}, {8, 5}, where));
    out.push_back(
        make(Element::kFloat, row.mode, {75, 9, 5}, {row.bytes / 4, 4, 3}, {-4, 7, 1}, where));
  }
  return out;
}

void expect_load(const BoxTest& test, const std::vector<unsigned char>& tensor,
                 std::vector<unsigned char>& tile) {
  for (const BoxElement& element : elements(test)) {
    for (int byte = 0; byte < test.element_bytes(); ++byte) {
      tile[kTileMargin + element.tile_byte + static_cast<std::uint32_t>(byte)] =
          element.inside
              ? tensor[static_cast<std::size_t>(kTensorMargin + element.tensor_byte + byte)]
              : 0;
    }
  }
}

void expect_store(const BoxTest& test, const std::vector<unsigned char>& tile,
                  std::vector<unsigned char>& tensor) {
  for (const BoxElement& element : elements(test)) {
    if (!element.inside) continue;
    for (int byte = 0; byte < test.element_bytes(); ++byte) {
      tensor[static_cast<std::size_t>(kTensorMargin + element.tensor_byte + byte)] =
          tile[kTileMargin + element.tile_byte + static_cast<std::uint32_t>(byte)];
    }
  }
}

}  // namespace words
