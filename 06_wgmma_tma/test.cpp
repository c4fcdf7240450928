// Chapter 06 beyond the contract: permuted rows of B make pairs neighbours, and every number of
// k-tiles comes out right.

#include <test/catch.hpp>
#include <test/trial.hpp>

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

#include <layout/layout.hpp>

using namespace wgmma_tma;

// Tensor cores read 8 rows of 16 bytes at a time.
TEST_CASE("06: core matrices are read without bank conflicts, because of the swizzle") {
  const auto conflicts = [](core::SwizzleMode swizzle, int k) {
    const auto place = [&](int row) {
      return core::swizzled(swizzle, static_cast<std::uint32_t>(2 * (row * 64 + k))) / 2;
    };
    return layout::bank_conflicts(place, 8, 16, 8);
  };
  for (int k = 0; k < 64; k += 8) {
    CHECK(conflicts(core::SwizzleMode::k128B, k).free());
    CHECK(conflicts(core::SwizzleMode::kNone, k).worst == 8);
  }
}

TEST_CASE("06: rows of B are permuted where N and C allow it") {
  gemm::Problem problem = gemm::packed_problem(128, 96, 64, gemm::DataType::kBf16);
  CHECK(can_permute(problem));
  problem.ldc = 100;
  CHECK_FALSE(can_permute(problem));
  problem.ldc = 104;
  CHECK(can_permute(problem));
  alignas(16) char c[16] = {};
  problem.c = c + 8;
  CHECK_FALSE(can_permute(problem));
  problem.c = c;
  problem.n = 88;
  CHECK_FALSE(can_permute(problem));
}

TEST_CASE("06: permuted rows are a permutation that makes pairs neighbours") {
  // The accumulator atom: which (row, column) of 64 x 32 value v of thread t is.
  const layout::Layout c = layout::wgmma_m64k16(32).c;
  for (int thread = 0; thread < 128; ++thread) {
    for (int value = 0; value < 16; ++value) {
      const auto place = c(thread, value);
      const int column = permuted_row(static_cast<int>(place / 64));
      const int pair = value / 4, element = value % 2;
      CHECK(column == 8 * (thread % 4) + 2 * pair + element);
    }
  }
  // As a layout: three modes trade places, in every 32 rows.
  const layout::Layout permuted{{2, 4, 4, 2}, {1, 8, 2, 32}};
  for (int r = 0; r < 64; ++r) CHECK(permuted_row(r) == permuted(r));
}
#endif

TEST_CASE("06: every number of k-tiles, from none to twice around the ring") {
  std::vector<test::Case> cases;
  for (int k_tiles = 0; k_tiles <= 13; ++k_tiles) {
    cases.push_back(test::packed(72, 64, 64 * k_tiles));
    cases.push_back(test::packed(72, 40, 64 * k_tiles + 8));
  }
  test::try_all(cases);
}
