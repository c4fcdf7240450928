// Tensor references and views: offsets, bounds, parts, any layout.

#include <gemm/tensor_view.hpp>

#include <test/catch.hpp>

#include <array>
#include <numeric>
#include <type_traits>

namespace {

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
constexpr auto kView = gemm::row_major_view(kNumbers.data(), 3, 5, 8);

// All of it can happen at compile time.
static_assert(kView(2, 4) == 20);
static_assert(kView.contains(2, 4) && !kView.contains(2, 5));
static_assert(*TensorRef<const int, Swizzled>{kNumbers.data(), {}}.at(2, 1) == 19);
static_assert(gemm::LinearLayout<RowMajor> && !gemm::LinearLayout<Swizzled>);

// Cheap enough to pass to a kernel by value.
static_assert(std::is_trivially_copyable_v<gemm::MatrixView<float>>);

}  // namespace

TEST_CASE("offsets are 64 bits wide") {
  const TensorRef<char, RowMajor> ref{nullptr, {std::int64_t{1} << 32}};
  CHECK(ref.layout(3, 5) == (std::int64_t{3} << 32) + 5);
}

TEST_CASE("bounds") {
  CHECK(kView.extent(0) == 3);
  CHECK(kView.extent(1) == 5);
  for (int i = -2; i < 6; ++i) {
    for (int j = -2; j < 9; ++j) {
      CHECK(kView.contains(i, j) == (i >= 0 && i < 3 && j >= 0 && j < 5));
    }
  }
  CHECK(!kView.contains(std::int64_t{1} << 32, std::int64_t{0}));
}

TEST_CASE("parts are clipped where the view ends") {
  const auto inner = kView.part({1, 2}, {2, 2});
  CHECK(inner.extent(0) == 2);
  CHECK(inner.extent(1) == 2);
  CHECK(inner(1, 1) == kView(2, 3));
  const auto clipped = kView.part({2, 4}, {4, 4});
  CHECK(clipped.extent(0) == 1);
  CHECK(clipped.extent(1) == 1);
  CHECK(clipped(0, 0) == kView(2, 4));
  CHECK(!kView.part({3, 0}, {4, 4}).contains(0, 0));
  CHECK(!kView.part({0, 7}, {4, 4}).contains(0, 0));
}
