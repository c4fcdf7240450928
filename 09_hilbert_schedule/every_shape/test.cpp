// Beyond the contract: problems at random, and launches that overlap.

#include <core/numeric.hpp>
#include <gemm/random.hpp>
#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/device_array.hpp>
#include <test/trial.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

using test::Case, test::packed, test::with_ldc;

TEST_CASE("every_shape: every variant takes what TMA cannot store, and writes nothing beside it") {
  Case shifted = packed(136, 72, 72);
  shifted.c_offset = 4;
  // N = 72 and 88: boxes, but no permuted rows. The others: neither.
  test::try_all({packed(136, 72, 200), with_ldc(packed(72, 88, 72), 104), shifted,
                 packed(136, 75, 200), with_ldc(packed(136, 72, 72), 77),
                 with_ldc(packed(65, 131, 72), 132)});
}

TEST_CASE("every_shape: every trick may be left out") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (const Case& c : {packed(392, 520, 328), packed(136, 75, 200)}) {
    test::Trial trial(c);
    for (const char* policy : {"late", "random:2"}) {
      test::set_policy(policy);
      for (const harness::Variant& variant : chapter.ablations) {
        INFO("ablation " << variant.name << ", " << policy << ", " << label(c));
        CHECK(test::try_case(chapter, variant, c, trial) == std::vector<std::string>{});
      }
    }
  }
}

namespace {

#if __has_include(<runtime/current.hpp>)
constexpr std::uint64_t kRandomProblems = 40;
#else
constexpr std::uint64_t kRandomProblems = 5000;
#endif

// Number i of problems of every kind that the chapter takes, of C's that every variant can store.
Case at_random(std::uint64_t i) {
  const auto draw = [&](std::uint64_t which, std::uint64_t below) {
    return static_cast<std::int64_t>(gemm::counter_bits(which, i) % below);
  };
  const std::int64_t unit_n = draw(0, 4) == 0 ? 1 : draw(0, 4) == 1 ? 8 : 32;
  Case c =
      packed(1 + draw(1, 300), unit_n * (1 + draw(2, 300 / static_cast<std::uint64_t>(unit_n))),
             8 * draw(3, 30));
  gemm::Problem& p = c.problem;
  switch (draw(4, 4)) {
    case 0:
      p.a_major = draw(5, 2) == 0 ? core::Major::kK : core::Major::kMn;
      p.b_major = draw(6, 2) == 0 ? core::Major::kK : core::Major::kMn;
      if (p.a_major == core::Major::kMn) p.lda = (p.m + 7) / 8 * 8;
      if (p.b_major == core::Major::kMn) p.ldb = (p.n + 7) / 8 * 8;
      break;
    case 1:
      p.c_type = gemm::DataType::kFp32;
      [[fallthrough]];
    case 2:
      p.epilogue.kind = static_cast<gemm::EpilogueKind>(1 + draw(7, 5));  // any but identity
      p.epilogue.alpha = 2.0f;
      p.epilogue.beta = draw(8, 2) == 0 ? 0.0f : -1.0f;
      break;
    default:
      break;
  }
  return c;
}

}  // namespace

TEST_CASE("every_shape: problems, variants, epilogues, majors and types of C at random") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (std::uint64_t i = 0; i < kRandomProblems; ++i) {
    const Case c = at_random(i);
    const auto& variant = chapter.variants[gemm::counter_bits(9, i) % chapter.variants.size()];
    const auto policies = test::policies_in_turn(chapter, i);
    test::set_policy(policies[i % policies.size()]);
    INFO("problem " << i << ", variant " << variant.name << ", " << label(c));
    test::Trial trial(c);
    CHECK(test::try_case(chapter, variant, c, trial) == std::vector<std::string>{});
  }
}

// Sums of random numbers depend on the order in which they are added: of a tile that blocks share
// out by stream-K as of every other.
TEST_CASE("every_shape: every variant gives the same bits, run after run") {
#if __has_include(<runtime/current.hpp>)
  std::vector<Case> cases = {packed(200, 328, 1000)};
#else
  std::vector<Case> cases = {packed(264, 328, 4104), packed(1664, 1672, 1000),
                             packed(2560, 2560, 2568)};  // in lock-step
#endif
  for (Case& c : cases) c.values = gemm::Values::kUniform, c.repeat = true;
  test::try_all(cases);
}

// A times a permutation that moves its columns by one, again and again: a launch that reads, or
// writes, beside the one before it leaves columns where they were.
TEST_CASE("every_shape: launches that overlap, each with the C of the one before as its A") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  const auto variant = std::find_if(chapter.variants.begin(), chapter.variants.end(),
                                    [](const auto& v) { return v.name == "overlapped"; });
  REQUIRE(variant != chapter.variants.end());
#if __has_include(<runtime/current.hpp>)
  const std::vector<std::size_t> sizes = {64, 200};
#else
  const std::vector<std::size_t> sizes = {64, 200, 512, 1024, 1536, 2048};
#endif
  constexpr std::size_t kLaunches = 25;
  for (const std::size_t n : sizes) {
    INFO("M = N = K = " << n);
    std::vector<core::bf16> a(n * n), b(n * n, core::bf16{0}), expected(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      b[i * n + (i + 1) % n] = core::bf16{0x3f80};  // 1
      for (std::size_t j = 0; j < n; ++j) {
        // Any number but NaN and those that are not normal.
        const auto bits = gemm::counter_bits(10, i * n + j) % 0x7f00 + 0x80;
        a[i * n + j] = core::bf16{static_cast<std::uint16_t>(bits)};
        expected[i * n + (j + n - kLaunches % n) % n] = a[i * n + j];
      }
    }
    const test::DeviceArray<core::bf16> first(a), moves(b), second(std::size_t{n * n}, 0xff);
    gemm::Problem problem =
        gemm::packed_problem(static_cast<std::int64_t>(n), static_cast<std::int64_t>(n),
                             static_cast<std::int64_t>(n), gemm::DataType::kBf16);
    problem.b = moves.data();
    problem.a = first.data(), problem.c = second.data();
    const harness::Plan forth = variant->prepare(problem);
    problem.a = second.data(), problem.c = first.data();
    const harness::Plan back = variant->prepare(problem);
    for (std::size_t i = 0; i < kLaunches; ++i) (i % 2 == 0 ? forth : back).run(gpu::Stream{});
    gpu::synchronize();
    const auto got = (kLaunches % 2 == 0 ? first : second).values();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n * n; ++i) wrong += got[i].bits != expected[i].bits;
    CHECK(wrong == 0);
  }
}
