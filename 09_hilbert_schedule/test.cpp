// Chapter 09 beyond the contract: tiles on their way out while others are multiplied, over as many
// k-tiles as there are chunks to store, fewer and more.

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/rules.hpp>
#include <test/trial.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

using test::Case;

Case packed(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16),
          .values = gemm::Values::kIntegers};
}

Case with_ldc(Case c, std::int64_t ldc) {
  c.problem.ldc = ldc;
  return c;
}

// What TMA cannot store: a row of C that ends within 16 bytes, rows that do not begin at a multiple
// of 16 bytes, and a C that does not.
std::vector<Case> not_for_tma() {
  Case misaligned = packed(136, 96, 72);
  misaligned.c_offset = 4;
  return {packed(136, 75, 200), with_ldc(packed(136, 72, 72), 77),
          with_ldc(packed(65, 131, 72), 136), misaligned};
}

}  // namespace

TEST_CASE("09: every variant takes what TMA cannot store, and writes nothing beside it") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  std::vector<Case> cases = not_for_tma();
  cases.push_back(with_ldc(packed(72, 88, 72), 104));  // TMA can, but leaves out what lies beyond
  for (const Case& c : cases) {
    test::SharedCase shared(c);
    for (const char* policy : {"late", "random:1"}) {
      test::set_policy(policy);
      for (const harness::Variant& variant : chapter.variants) {
        INFO("variant " << variant.name << ", " << policy << ", " << label(c));
        CHECK(shared.try_variant(chapter, variant) == std::vector<std::string>{});
      }
    }
  }
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

using namespace hilbert_schedule;

TEST_CASE("09: where TMA cannot store C, all variants of one tile run the same kernel") {
  const harness::Chapter& chapter = harness::chapters().front();
  const auto runs = [&](const test::Trial& trial, const std::string& name) {
    const auto variant = std::find_if(chapter.variants.begin(), chapter.variants.end(),
                                      [&](const auto& v) { return v.name == name; });
    REQUIRE(variant != chapter.variants.end());
    return test::what_runs(harness::prepare(chapter, *variant, trial.problem()));
  };
  test::set_policy("late");
  for (const Case& c : not_for_tma()) {
    INFO(label(c));
    const test::Trial trial(c);
    const std::optional<std::string> hilbert = runs(trial, "hilbert");
    REQUIRE(hilbert);
    for (const char* name : {"snake", "immediate", "no_reversal"}) {
      CHECK(runs(trial, name) == hilbert);
    }
  }
  const test::Trial trial(packed(136, 72, 72));
  CHECK(runs(trial, "immediate") != runs(trial, "hilbert"));
}

namespace {

using Two = Config<128, 128, 3, 2, Rows::kPlain, Store::kDeferred>;  // chunks of each consumer: 2
using Four = Config<64, 256, 3, 1, Rows::kPlain, Store::kDeferred>;  // 4
using Immediate = Config<128, 128, 3, 2, Rows::kPlain, Store::kImmediate>;
using Direct = Config<128, 128, 3, 2>;
using Clusters = Config<64, 128, 3, 1, Rows::kPlain, Store::kDeferred, 2, 1>;

// All tiles of C by one block, and by two: what one tile leaves behind, the next finds.
template <class C>
void check_by_few(const std::vector<Case>& cases, const LaunchPolicy& launch = {}) {
  std::size_t turn = 0;
  for (const Case& c : cases) {
    test::Trial trial(c);
    auto plan = prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(trial.problem()), launch);
    for (const auto& policy : test::policies_in_turn(harness::chapters().front(), turn++)) {
      test::set_policy(policy);
      for (const unsigned blocks : {1u, 2u}) {
        INFO(policy << ", " << label(c) << ", blocks or clusters " << blocks);
        trial.reset_c();
        plan.shape.grid = dim3(blocks * C::Cluster::kSize);
        plan.run(gpu::Stream{});
        gpu::synchronize();
        CHECK(trial.complaints() == std::vector<std::string>{});
      }
    }
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
#endif
