// Tensor references and views: offsets, bounds, parts, any layout.

#include <gemm/tensor_view.hpp>

#include <test/catch.hpp>

#include <array>
#include <numeric>
#include <type_traits>

namespace {

using gemm::ColumnMajor;
using gemm::RowMajor;
using gemm::TensorRef;
using gemm::TensorView;

// A layout that is not linear: 8 columns per row, the column's bits flipped by the row's.
struct Swizzled {
  constexpr int operator()(int row, int col) const { return row * 8 + (col ^ (row & 7)); }
};

constexpr std::array<int, 24> kNumbers = [] {
  std::array<int, 24> out{};
  std::iota(out.begin(), out.end(), 0);
  return out;
}();

// All of it can happen at compile time.
static_assert(gemm::row_major_view(kNumbers.data(), 3, 5, 8)(2, 4) == 20);
static_assert(gemm::column_major_view(kNumbers.data(), 5, 3, 8)(4, 2) == 20);
static_assert(gemm::row_major_view(kNumbers.data(), 3, 5, 8).contains(2, 4));
static_assert(!gemm::row_major_view(kNumbers.data(), 3, 5, 8).contains(2, 5));
static_assert(TensorRef<const int, Swizzled>{kNumbers.data(), {}}(2, 1) == 19);
static_assert(gemm::LinearLayout<RowMajor> && !gemm::LinearLayout<Swizzled>);
static_assert(gemm::LayoutOver<RowMajor, int, int> && !gemm::LayoutOver<RowMajor, int>);

// Cheap enough to pass to a kernel by value.
static_assert(std::is_trivially_copyable_v<gemm::MatrixView<float>>);
static_assert(std::is_trivially_copyable_v<TensorRef<float, RowMajor>>);

// Read-only from writable, never back.
static_assert(std::is_convertible_v<gemm::MatrixView<int>, gemm::MatrixView<const int>>);
static_assert(!std::is_convertible_v<gemm::MatrixView<const int>, gemm::MatrixView<int>>);
static_assert(std::is_convertible_v<TensorRef<int, RowMajor>, TensorRef<const int, RowMajor>>);

}  // namespace

TEST_CASE("row-major and column-major agree with the transposed other") {
  std::array<int, 24> data = kNumbers;
  const auto rows = gemm::row_major_view(data.data(), 3, 5, 8);
  const auto cols = gemm::column_major_view(data.data(), 5, 3, 8);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) {
      CHECK(rows(i, j) == 8 * i + j);
      CHECK(&rows(i, j) == &cols(j, i));
      CHECK(rows.at(i, j) == data.data() + 8 * i + j);
    }
  }
  rows(1, 2) = -1;
  CHECK(data[10] == -1);
  const gemm::MatrixView<const int> readable = rows;
  CHECK(readable(1, 2) == -1);
  CHECK(readable.extent(1) == 5);
}

TEST_CASE("offsets are 64 bits wide") {
  const TensorRef<char, RowMajor> ref{nullptr, {std::int64_t{1} << 32}};
  CHECK(ref.layout(3, 5) == (std::int64_t{3} << 32) + 5);
  CHECK(ColumnMajor{1 << 20}(5, 1 << 20) == (std::int64_t{1} << 40) + 5);
}

TEST_CASE("bounds") {
  std::array<int, 24> data = kNumbers;
  const auto view = gemm::row_major_view(data.data(), 3, 5, 8);
  CHECK(view.extent(0) == 3);
  CHECK(view.extent(1) == 5);
  CHECK(view.size() == 15);
  for (int i = -2; i < 6; ++i) {
    for (int j = -2; j < 9; ++j) {
      CHECK(view.contains(i, j) == (i >= 0 && i < 3 && j >= 0 && j < 5));
    }
  }
  CHECK(!view.contains(std::int64_t{1} << 32, std::int64_t{0}));
}

TEST_CASE("moving the origin") {
  const TensorRef<const int, RowMajor> ref{kNumbers.data(), {8}};
  CHECK(ref.shifted(1, 2)(1, 1) == ref(2, 3));
}

TEST_CASE("parts are clipped where the view ends") {
  std::array<int, 24> data = kNumbers;
  const auto view = gemm::row_major_view(data.data(), 3, 5, 8);
  const auto inner = view.part({1, 2}, {2, 2});
  CHECK(inner.extent(0) == 2);
  CHECK(inner.extent(1) == 2);
  CHECK(inner(1, 1) == view(2, 3));
  const auto clipped = view.part({2, 4}, {4, 4});
  CHECK(clipped.extent(0) == 1);
  CHECK(clipped.extent(1) == 1);
  CHECK(clipped(0, 0) == view(2, 4));
  CHECK(view.part({3, 0}, {4, 4}).size() == 0);
  CHECK(view.part({0, 7}, {4, 4}).size() == 0);
}

TEST_CASE("any layout, any rank") {
  std::array<int, 24> data = kNumbers;
  const TensorView<int, Swizzled, 2> swizzled{{data.data(), {}}, {3, 8}};
  CHECK(swizzled(1, 0) == 9);
  CHECK(swizzled(2, 7) == 21);
  const auto batch = [](int b, int i, int j) { return b * 12 + i * 4 + j; };
  const TensorView<int, decltype(batch), 3> cube{{data.data(), batch}, {2, 3, 4}};
  CHECK(cube(1, 2, 3) == 23);
  CHECK(cube.contains(1, 2, 3));
  CHECK(!cube.contains(1, 3, 0));
  CHECK(cube.size() == 24);
}
