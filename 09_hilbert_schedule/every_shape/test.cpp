// Chapter 09 beyond the contract: problems at random, and results on their way out, over tiles with
// few steps of K and many.

#include <core/numeric.hpp>
#include <gemm/random.hpp>
#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/device_array.hpp>
#include <test/rules.hpp>
#include <test/trial.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
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

}  // namespace

TEST_CASE("09: every variant takes what TMA cannot store, and writes nothing beside it") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  Case shifted = packed(136, 72, 72);
  shifted.c_offset = 4;
  // N = 72 and 88: boxes, but no dealt rows. The others: neither.
  for (const Case& c :
       {packed(136, 72, 200), with_ldc(packed(72, 88, 72), 104), shifted, packed(136, 75, 200),
        with_ldc(packed(136, 72, 72), 77), with_ldc(packed(65, 131, 72), 132)}) {
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
      p.epilogue.kind =
          draw(7, 2) == 0 ? gemm::EpilogueKind::kAlphaBeta : gemm::EpilogueKind::kBiasRelu;
      p.epilogue.alpha = 2.0f;
      p.epilogue.beta = draw(8, 2) == 0 ? 0.0f : -1.0f;
      break;
    default:
      break;
  }
  return c;
}

}  // namespace

TEST_CASE("09: problems, variants, epilogues, majors and types of C at random") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (std::uint64_t i = 0; i < kRandomProblems; ++i) {
    const Case c = at_random(i);
    const auto& variant = chapter.variants[gemm::counter_bits(9, i) % chapter.variants.size()];
    const auto policies = test::policies_in_turn(chapter, i);
    test::set_policy(policies[i % policies.size()]);
    INFO("problem " << i << ", variant " << variant.name << ", " << label(c));
    CHECK(test::try_case(chapter, variant, c) == std::vector<std::string>{});
  }
}

// A times a permutation that moves its columns by one, again and again: a launch that reads, or
// writes, beside the one before it leaves columns where they were.
TEST_CASE("09: launches that overlap, each with the C of the one before as its A") {
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

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

using namespace hilbert_schedule;

namespace {

using Two = Tiles<128, 128, 3, 2>;          // parts: 2 for each consumer
using Four = Tiles<128, 128, 3, 1>;         // 4
using Twelve = Tiles<128, 384, 2, 1, 192>;  // 12, and two boxes of B
using Slim = Tiles<64, 64, 4, 1>;           // 1

template <int CM_, int CN_>
struct InFlight : Ways<CM_, CN_> {
  static constexpr int kInFlight = 1;
};
struct Immediate : Ways<> {
  static constexpr bool kDeferred = false;
};
template <Rows kRows_, bool kDeferred_>
struct Direct : Ways<> {
  static constexpr Rows kRows = kRows_;
  static constexpr Store kStore = Store::kDirect;
  static constexpr bool kDeferred = kDeferred_;
};

template <bool kA, bool kB>
struct Majors : Ways<> {
  static constexpr auto kMajorA = kA ? core::Major::kMn : core::Major::kK;
  static constexpr auto kMajorB = kB ? core::Major::kMn : core::Major::kK;
};

// All tiles of C by few blocks, so that each has several: what one of them leaves behind, the
// next finds.
template <class C, class Functor>
void check_by_few(test::Trial& trial, const Case& c, std::size_t turn, const Route& route,
                  const Functor& functor) {
  auto plan = prepare<core::bf16, C>(operands<core::bf16>(trial.problem()), route, functor);
  for (const std::string& policy : test::policies_in_turn(harness::chapters().front(), turn)) {
    test::set_policy(policy);
    for (const unsigned workers : {1u, 3u}) {
      INFO(policy << ", " << label(c) << ", workers " << workers);
      trial.reset_c();
      plan.deal_to(workers);
      plan.run(gpu::Stream{});
      gpu::synchronize();
      CHECK(trial.complaints() == std::vector<std::string>{});
    }
  }
}
template <class C>
void check_blocks(const std::vector<Case>& cases, const Route& route = {}) {
  std::size_t turn = 0;
  for (const Case& c : cases) {
    test::Trial trial(c);
    check_by_few<C>(trial, c, turn++, route, Identity{});
  }
}
// The same with every functor.
template <class C>
void check_functors(const std::vector<Case>& cases) {
  std::size_t turn = 0;
  for (const gemm::Epilogue& epilogue :
       {gemm::Epilogue{gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f},
        gemm::Epilogue{gemm::EpilogueKind::kAlphaBeta, 3.0f, 0.0f},
        gemm::Epilogue{gemm::EpilogueKind::kBiasRelu}}) {
    for (Case c : cases) {
      c.problem.epilogue = epilogue;
      test::Trial trial(c);
      with_functor<core::bf16>(trial.problem(), [&](const auto& functor) {
        check_by_few<C>(trial, c, turn, {.group_rows = 2}, functor);
      });
      ++turn;
    }
  }
}

// 0 to 5 steps of K, the last of them not whole.
std::vector<Case> few_steps(std::int64_t m, std::int64_t n) {
  std::vector<Case> out;
  for (const std::int64_t k : {0, 64, 104, 192, 232, 320}) out.push_back(packed(m, n, k));
  return out;
}

}  // namespace

TEST_CASE("09: as many parts as steps of K, fewer and more") {
  check_blocks<Config<Two>>(few_steps(264, 200), {.group_rows = 2});
  check_blocks<Config<Four>>(few_steps(136, 200), {.order = Order::kHilbert});
  check_blocks<Config<Twelve>>({packed(264, 72, 0), packed(264, 400, 136)});
  check_blocks<Config<Two, Immediate>>(few_steps(264, 72), {.order = Order::kGroups});
  check_blocks<Config<Slim>>(few_steps(136, 136), {.group_rows = 1});
}

TEST_CASE("09: one step of K in flight, in clusters too") {
  check_blocks<Config<Two, InFlight<1, 1>>>(few_steps(200, 200));
  check_blocks<Config<Slim, InFlight<2, 1>>>(few_steps(328, 136), {.group_rows = 2});
  check_blocks<Config<Slim, Ways<2, 2>>>({packed(200, 264, 136), packed(328, 72, 64)},
                                         {.order = Order::kHilbert});
}

TEST_CASE("09: stored by the threads, next to a fallback for any N") {
  const std::vector<Case> dealt = {packed(264, 160, 0), packed(264, 160, 64),
                                   packed(264, 416, 136)};
  check_blocks<Config<Two, Direct<Rows::kDealt, true>>>(dealt, {.group_rows = 2});
  check_blocks<Config<Twelve, Direct<Rows::kDealt, false>>>(dealt);
  check_blocks<Config<Two, Direct<Rows::kPlain, true>>>(
      {packed(264, 131, 0), packed(264, 131, 104), with_ldc(packed(264, 200, 136), 203),
       with_ldc(packed(136, 258, 328), 260)},
      {.group_rows = 1});
}

TEST_CASE("09: functors, over as many parts as steps of K, fewer and more") {
  const std::vector<Case> dealt = {packed(200, 160, 0), packed(264, 160, 64),
                                   packed(264, 416, 328)};
  check_functors<Config<Two, Direct<Rows::kDealt, true>>>(dealt);
  check_functors<Config<Two, Direct<Rows::kDealt, false>>>(dealt);
  check_functors<Config<Two>>({packed(200, 200, 0), packed(264, 136, 328)});
  check_functors<Config<Two, Direct<Rows::kPlain, true>>>(
      {packed(200, 131, 0), packed(264, 131, 104), with_ldc(packed(136, 258, 328), 261)});
}

TEST_CASE("09: operands contiguous along M or N") {
  const auto along_mn = [](std::int64_t m, std::int64_t n, std::int64_t k, bool a, bool b) {
    Case c = packed(m, n, k);
    if (a) c.problem.a_major = core::Major::kMn, c.problem.lda = (m + 7) / 8 * 8;
    if (b) c.problem.b_major = core::Major::kMn, c.problem.ldb = (n + 7) / 8 * 8;
    return c;
  };
  for (const std::int64_t k : {0, 72, 328}) {
    check_blocks<Config<Two, Majors<true, false>>>({along_mn(264, 200, k, true, false)});
    check_blocks<Config<Two, Majors<false, true>>>({along_mn(200, 264, k, false, true)});
    check_blocks<Config<Two, Majors<true, true>>>({along_mn(136, 264, k, true, true)});
  }
}

TEST_CASE("09: which tiles an epilogue gets") {
  const harness::Chapter& chapter = harness::chapters().front();
  for (const std::int64_t m : {64, 2048}) {  // small tiles and wide ones
    Case c = packed(m, 512, 72);
    for (const gemm::Epilogue& epilogue :
         {gemm::Epilogue{gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f},
          gemm::Epilogue{gemm::EpilogueKind::kBiasRelu}}) {
      c.problem.epilogue = epilogue;
      test::set_policy("mix");
      CAPTURE(label(c));
      CHECK(test::try_case(chapter, chapter.variants.front(), c) == std::vector<std::string>{});
    }
  }
}

namespace {

template <int kSplit_>
struct Split : Direct<Rows::kPlain, false> {
  static constexpr int kSplit = kSplit_, kInFlight = 1;
};

}  // namespace

TEST_CASE("09: blocks that divide K, into more parts than there are steps, and with functors") {
  std::size_t turn = 0;
  const auto check = [&]<class C>(const Case& c) {
    test::Trial trial(c);
    with_functor<core::bf16>(trial.problem(), [&](const auto& functor) {
      const auto plan = prepare<core::bf16, C>(operands<core::bf16>(trial.problem()), {}, functor);
      const int tiles = gemm::ceil_div(static_cast<int>(c.problem.m), C::BM) *
                        gemm::ceil_div(static_cast<int>(c.problem.n), C::BN);
      CHECK(plan.shape.grid.x == static_cast<unsigned>(tiles * C::kSplit));
      for (const std::string& policy :
           test::policies_in_turn(harness::chapters().front(), turn++)) {
        test::set_policy(policy);
        INFO(policy << ", " << label(c));
        trial.reset_c();
        plan.run(gpu::Stream{});
        gpu::synchronize();
        CHECK(trial.complaints() == std::vector<std::string>{});
      }
    });
  };
  for (const std::int64_t k : {0, 8, 136, 520, 776}) {
    for (const gemm::Epilogue& epilogue :
         {gemm::Epilogue{}, gemm::Epilogue{gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f},
          gemm::Epilogue{gemm::EpilogueKind::kBiasRelu}}) {
      Case c = k == 136 ? packed(200, 131, k) : packed(136, 200, k);
      c.problem.epilogue = epilogue;
      check.template operator()<Config<Slim, Split<4>>>(c);
      check.template operator()<Config<Two, Split<2>>>(c);
    }
  }
}

TEST_CASE("09: rings that go around several times, and every second tile from the end of K") {
  for (const bool reverse : {false, true}) {
    check_blocks<Config<Two>>({packed(264, 136, 776)}, {.reverse = reverse});
    check_blocks<Config<Slim, InFlight<1, 2>>>({packed(136, 200, 776)}, {.reverse = reverse});
  }
}
#endif
