// Every byte that is not the matrix's own is watched; every byte that is, is not.

#include <gemm/element.hpp>
#include <gemm/guard.hpp>
#include <gemm/inputs.hpp>

#include <test/catch.hpp>

#include <cmath>
#include <cstring>

namespace {

using gemm::DataType;
using gemm::GuardedMatrix;
using gemm::Stored;

}  // namespace

TEST_CASE("exactly the matrix may change") {
  for (const DataType type : {DataType::kBf16, DataType::kFp32}) {
    for (const std::int64_t offset : {0, 1, 3}) {
      const Stored stored = {3, 5, 7};
      const GuardedMatrix guarded(stored, type, offset, 256);
      const auto element = static_cast<std::size_t>(gemm::bytes_per_element(type));
      CHECK(guarded.matrix_offset() == 256 + static_cast<std::size_t>(offset) * element);
      CHECK(guarded.bytes() == guarded.matrix_offset() + 19 * element + 256);

      std::vector<std::byte> image = guarded.image();
      REQUIRE(image.size() == guarded.bytes());
      CHECK(!guarded.damage(image.data()));
      int watched = 0;
      for (std::size_t i = 0; i < image.size(); ++i) {
        const bool behind_start = i >= guarded.matrix_offset();
        const std::size_t at = behind_start ? (i - guarded.matrix_offset()) / element : 0;
        const bool own = behind_start && at < 19 && at % 7 < 5;
        image[i] ^= std::byte{1};
        INFO("byte " << i);
        CHECK(guarded.damage(image.data()).has_value() == !own);
        watched += !own;
        image[i] ^= std::byte{1};
      }
      CHECK(watched == static_cast<int>(guarded.bytes() - 15 * element));
    }
  }
}

TEST_CASE("the matrix begins as poison or as given") {
  const Stored stored = {2, 3, 4};
  const GuardedMatrix guarded(stored, DataType::kBf16);
  const std::vector<std::byte> poisoned = guarded.image();
  for (int i = 0; i < 7; ++i) {
    CHECK(std::isnan(
        gemm::load_element(DataType::kBf16, poisoned.data() + guarded.matrix_offset(), i)));
  }
  std::vector<core::bf16> contents(7);
  for (int i = 0; i < 7; ++i)
    contents[static_cast<std::size_t>(i)] = core::from_float<core::bf16>(static_cast<float>(i));
  const std::vector<std::byte> filled = guarded.image(contents.data());
  for (int i = 0; i < 7; ++i) {
    const double value =
        gemm::load_element(DataType::kBf16, filled.data() + guarded.matrix_offset(), i);
    if (i == 3) {
      CHECK(std::isnan(value));  // padding stays poison
    } else {
      CHECK(value == i);
    }
  }
  CHECK(!guarded.damage(filled.data()));
}
