// Chapter 09 beyond the contract: tiles on their way out while others are multiplied, over as many
// k-tiles as there are chunks to store, fewer and more.

#include <test/catch.hpp>
#include <test/every_variant.hpp>

using test::Case, test::packed, test::with_ldc;

// A row of C that ends within 16 bytes, rows that do not begin at a multiple of 16 bytes, and a C
// that does not; last one that TMA can store, but leaves out what lies beyond.
TEST_CASE("09: every variant takes what TMA cannot store, and writes nothing beside it") {
  Case misaligned = packed(136, 96, 72);
  misaligned.c_offset = 4;
  test::try_all({packed(136, 75, 200), with_ldc(packed(136, 72, 72), 77),
                 with_ldc(packed(65, 131, 72), 136), misaligned,
                 with_ldc(packed(72, 88, 72), 104)});
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

using namespace hilbert_schedule;

namespace {

using Two = Config<128, 128, 3, 2, Rows::kPlain, Store::kDeferred>;  // chunks of each consumer: 2
using Four = Config<64, 256, 3, 1, Rows::kPlain, Store::kDeferred>;  // 4
using Immediate = Config<128, 128, 3, 2, Rows::kPlain, Store::kImmediate>;
using Direct = Config<128, 128, 3, 2>;
using Clusters = Config<64, 128, 3, 1, Rows::kPlain, Store::kDeferred, 2, 1>;

template <class C>
void check_by_few(const std::vector<Case>& cases, const LaunchPolicy& launch = {}) {
  std::size_t turn = 0;
  for (const Case& c : cases) {
    INFO(label(c));
    test::Trial trial(c);
    const auto g = gemm::typed_operands<core::bf16>(trial.problem());
    test::try_by_few(trial, prepare<core::bf16, C>(g, launch), turn++,
                     [](auto& plan, unsigned n) { plan.shape.grid = dim3(n * C::Cluster::kSize); });
  }
}

// 0 to 6 k-tiles, the last of them not always whole.
std::vector<Case> few_k_tiles(std::int64_t m, std::int64_t n) {
  std::vector<Case> out;
  for (const std::int64_t k : {0, 64, 128, 192, 232, 384}) out.push_back(packed(m, n, k));
  return out;
}

}  // namespace

TEST_CASE("09: as many chunks as k-tiles, fewer and more") {
  check_by_few<Two>(few_k_tiles(264, 200));
  check_by_few<Four>(few_k_tiles(136, 328));
  check_by_few<Immediate>(few_k_tiles(264, 200));
  check_by_few<Direct>(few_k_tiles(264, 160));
  check_by_few<Clusters>({packed(200, 264, 64), packed(328, 136, 328)});
}

TEST_CASE("09: the same C in every order, and from either end of K") {
  for (const Order order : {Order::kHilbert, Order::kSnake, Order::kRowMajor}) {
    for (const bool reverse_k : {false, true}) {  // the ring goes around several times
      CAPTURE(static_cast<int>(order), reverse_k);
      check_by_few<Two>({packed(264, 392, 776)}, {.order = order, .reverse_k = reverse_k});
    }
  }
}

#else

TEST_CASE("09: several tiles to a block, over fewer k-tiles than chunks, as many and more") {
  std::vector<Case> cases;  // 360 tiles of 128 x 256
  for (const int k : {0, 64, 128, 192, 232, 384}) cases.push_back(packed(5000, 2056, k));
  test::try_all(cases);
}
#endif
