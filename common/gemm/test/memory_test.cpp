// Matrices in memory: guards around them, views of them.

#include <gemm/guard.hpp>
#include <gemm/inputs.hpp>
#include <gemm/tensor_view.hpp>

#include <test/catch.hpp>

#include <array>
#include <numeric>

TEST_CASE("exactly the matrix may change") {
  for (const gemm::DataType type : {gemm::DataType::kBf16, gemm::DataType::kFp32}) {
    for (const std::int64_t offset : {0, 3}) {
      const gemm::GuardedMatrix guarded({3, 5, 7}, type, offset, 256);
      const auto element = static_cast<std::size_t>(gemm::bytes_per_element(type));
      const std::size_t start = 256 + static_cast<std::size_t>(offset) * element;
      CHECK(guarded.matrix_offset() == start);
      CHECK(guarded.bytes() == start + 19 * element + 256);

      std::vector<std::byte> image(guarded.bytes(), gemm::kPoison);
      CHECK(!guarded.damage(image.data()));
      for (std::size_t i = 0; i < image.size(); ++i) {
        const std::size_t at = (i - start) / element;
        const bool own = i >= start && at < 19 && at % 7 < 5;
        image[i] ^= std::byte{1};
        INFO("byte " << i);
        CHECK(guarded.damage(image.data()).has_value() == !own);
        image[i] ^= std::byte{1};
      }
      image[start - element] = image[start + 12 * element] = std::byte{0};
      CHECK(guarded.damage(image.data())
                ->find("guard before the matrix overwritten, first " + std::to_string(element) +
                       " bytes before its start (1 bytes)") == 0);
    }
  }
}

namespace {

constexpr std::array<int, 24> kNumbers = [] {
  std::array<int, 24> out{};
  std::iota(out.begin(), out.end(), 0);
  return out;
}();
constexpr auto kView = gemm::row_major_view(kNumbers.data(), 3, 5, 8);

// All of it can happen at compile time.
static_assert(kView(2, 4) == 20);
static_assert(gemm::RowMajor{std::int64_t{1} << 32}(3, 5) == (std::int64_t{3} << 32) + 5);

// Cheap enough to pass to a kernel by value.
static_assert(std::is_trivially_copyable_v<gemm::MatrixView<float>>);

}  // namespace

TEST_CASE("a view knows its bounds, and its parts are clipped where it ends") {
  for (int i = -2; i < 6; ++i) {
    for (int j = -2; j < 9; ++j) {
      CHECK(kView.contains(i, j) == (i >= 0 && i < 3 && j >= 0 && j < 5));
    }
  }
  const auto inner = kView.part({1, 2}, {2, 2}), clipped = kView.part({2, 4}, {4, 4});
  CHECK((inner.extent(0) == 2 && inner.extent(1) == 2 && inner(1, 1) == kView(2, 3)));
  CHECK((clipped.extent(0) == 1 && clipped.extent(1) == 1 && clipped(0, 0) == kView(2, 4)));
  CHECK(!kView.part({3, 0}, {4, 4}).contains(0, 0));
  CHECK(!kView.part({0, 7}, {4, 4}).contains(0, 0));
}
