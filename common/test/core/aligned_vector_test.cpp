// Groups of elements: size, alignment, order.

#include <core/aligned_vector.hpp>
#include <core/numeric.hpp>

#include <test/catch.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace {

using core::AlignedVector;
using core::bf16;

template <class V>
constexpr bool is_one_access = sizeof(V) == alignof(V) && std::is_trivially_copyable_v<V>;

static_assert(is_one_access<AlignedVector<bf16, 1>> && sizeof(AlignedVector<bf16, 1>) == 2);
static_assert(is_one_access<AlignedVector<bf16, 2>> && sizeof(AlignedVector<bf16, 2>) == 4);
static_assert(is_one_access<AlignedVector<bf16, 4>> && sizeof(AlignedVector<bf16, 4>) == 8);
static_assert(is_one_access<AlignedVector<bf16, 8>> && sizeof(AlignedVector<bf16, 8>) == 16);
static_assert(is_one_access<AlignedVector<float, 4>> && sizeof(AlignedVector<float, 4>) == 16);
static_assert(AlignedVector<float, 4>::kSize == 4);
static_assert(std::is_same_v<AlignedVector<bf16, 8>::Element, bf16>);

constexpr int sum(const AlignedVector<int, 4>& v) {
  return v[0] + 10 * v[1] + 100 * v[2] + 1000 * v[3];
}
static_assert(sum({1, 2, 3, 4}) == 4321);

}  // namespace

TEST_CASE("elements lie in memory in their order") {
  AlignedVector<std::uint16_t, 8> vector = {};
  for (int i = 0; i < 8; ++i) CHECK(vector[i] == 0);
  for (int i = 0; i < 8; ++i) vector.set(i, static_cast<std::uint16_t>(100 + i));
  std::uint16_t memory[8];
  std::memcpy(memory, &vector, sizeof vector);
  for (int i = 0; i < 8; ++i) CHECK(memory[i] == 100 + i);
  CHECK(reinterpret_cast<std::uintptr_t>(&vector) % 16 == 0);
}

TEST_CASE("setting one element leaves the others alone") {
  AlignedVector<core::fp16, 4> packed = {};
  for (int i = 0; i < 4; ++i) packed.set(i, {static_cast<std::uint16_t>(0xff00 + i)});
  packed.set(2, {0x1234});
  for (int i = 0; i < 4; ++i) CHECK(packed[i].bits == (i == 2 ? 0x1234 : 0xff00 + i));
  AlignedVector<float, 2> plain = {};
  plain.set(1, 2.5f);
  CHECK(plain[0] == 0.0f);
  CHECK(plain[1] == 2.5f);
  AlignedVector<bf16, 1> single = {};
  single.set(0, {0x3f80});
  CHECK(single[0].bits == 0x3f80);
}

TEST_CASE("neighbours in an array are each aligned") {
  AlignedVector<bf16, 4> array[3];
  for (const auto& vector : array) CHECK(reinterpret_cast<std::uintptr_t>(&vector) % 8 == 0);
}
