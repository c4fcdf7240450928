// Chapter 05 beyond the contract: the thread map, and epilogues and split problems that do what the
// page promises.


#include <gpu/host.hpp>
#include <harness/chapter.hpp>
#include <harness/device_problem.hpp>

#include <test/backend.hpp>
#include <test/rules.hpp>
#include <gemm/thread_map.hpp>
#include <test/thread_map.hpp>
#include <test/trial.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

using namespace swizzle_pipeline;

TEST_CASE("05: the thread map covers every tile exactly once") {
  test::check_thread_map<gemm::ThreadMap>();
}

// --- Whole problems, on either backend
// ------------------------------------------------------------

namespace {

using test::Case;
using test::Trial;

// Calls check(variant) for the variants that differ in more than a detail, under the policies whose
// turn it is.
template <class Check>
void for_every_tiling(Check check) {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  std::size_t turn = 0;
  for (const harness::Variant& variant : chapter.variants) {
    const std::set<std::string> wanted = {"by_size", "swizzled", "medium_tiles", "split_k",
                                          "split_k_fused"};
    if (!wanted.contains(variant.name)) continue;
    for (const std::string& policy : test::policies_in_turn(chapter, turn++)) {
      test::set_policy(policy);
      INFO("variant " << variant.name << ", " << policy);
      check(variant);
    }
  }
}

// Unlike the contract, takes no refusal for an answer. Runs twice and expects the same bits.
void check_right(const harness::Variant& variant, const Case& c) {
  INFO(label(c));
  Trial trial(c);
  const harness::Plan plan = variant.prepare(trial.problem());
  std::vector<std::byte> first;
  for (int run = 0; run < 2; ++run) {
    trial.reset_c();
    plan.run(gpu::Stream{});
    gpu::synchronize();
    CHECK(trial.complaints() == std::vector<std::string>{});
    if (run == 0) first = trial.fetch_c();
  }
  CHECK(trial.fetch_c() == first);
}

Case problem(std::int64_t m, std::int64_t n, std::int64_t k, gemm::Values values, int split_k = 1,
             const gemm::Epilogue& epilogue = {}) {
  Case c{.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16), .values = values};
  c.problem.split_k = split_k;
  c.problem.epilogue = epilogue;
  return c;
}

constexpr gemm::Epilogue kEpilogues[] = {{},
                                         {gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f},
                                         {gemm::EpilogueKind::kAlphaBeta, 3.0f, 0.0f},
                                         {gemm::EpilogueKind::kBiasRelu}};
constexpr gemm::Values kBothValues[] = {gemm::Values::kIntegers, gemm::Values::kUniform};

}  // namespace

TEST_CASE("05: split problems are exact on integers, and the same bits from run to run") {
  for_every_tiling([](const harness::Variant& variant) {
    for (const int parts : {2, 3, 5, 6}) {
      check_right(variant, problem(72, 136, 328, gemm::Values::kIntegers, parts));
    }
    for (const gemm::Values values : kBothValues) {
      check_right(variant, problem(65, 67, 333, values, 4));     // ragged everywhere, odd K
      check_right(variant, problem(72, 40, 200, values, 1000));  // more parts than tiles along K
      check_right(variant, problem(40, 24, 0, values, 3));       // nothing to split
    }
  });
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  check_right(chapter.variants.front(), problem(64, 64, 4096, gemm::Values::kIntegers, 20));
}

TEST_CASE("05: parts add up to the same bits in one launch and in two") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  const auto c_of = [&](const std::string& name, const Case& c) {
    for (const harness::Variant& variant : chapter.variants) {
      if (variant.name != name) continue;
      const Trial trial(c);
      variant.prepare(trial.problem()).run(gpu::Stream{});
      gpu::synchronize();
      CHECK(trial.complaints() == std::vector<std::string>{});
      return trial.fetch_c();
    }
    FAIL("no variant " << name);
    return std::vector<std::byte>{};
  };
  for (const int parts : {2, 5}) {
    for (const gemm::Epilogue& epilogue : kEpilogues) {
      const Case c = problem(72, 136, 328, gemm::Values::kUniform, parts, epilogue);
      CHECK(c_of("split_k_fused", c) == c_of("split_k", c));
    }
  }
}

// With beta = 0, C is poisoned with NaN before the run.
TEST_CASE("05: epilogues, with and without a split, on whole and on ragged tiles") {
  for_every_tiling([](const harness::Variant& variant) {
    for (const gemm::Epilogue& epilogue : kEpilogues) {
      for (const int parts : {1, 3}) {
        check_right(variant, problem(128, 128, 192, gemm::Values::kIntegers, parts, epilogue));
        check_right(variant, problem(67, 131, 200, gemm::Values::kUniform, parts, epilogue));
        check_right(variant, problem(40, 24, 0, gemm::Values::kIntegers, parts, epilogue));
      }
    }
  });
}

TEST_CASE("05: bias and ReLU let a NaN through") {
  constexpr std::uint16_t kNan = 0x7fc0;
  constexpr int kSize = 40, kRow = 3, kCol = 17;
  for_every_tiling([&](const harness::Variant& variant) {
    for (const int parts : {1, 2}) {
      gemm::HostOperands host = gemm::make_operands(
          problem(kSize, kSize, 128, gemm::Values::kIntegers, parts, kEpilogues[3]).problem,
          gemm::Values::kIntegers, 1);
      std::memcpy(host.a.data() + 2 * kRow * 128, &kNan, sizeof(kNan));
      std::memcpy(host.bias.data() + 2 * kCol, &kNan, sizeof(kNan));
      const harness::DeviceProblem device(host);
      variant.prepare(device.problem()).run(gpu::Stream{});
      const auto outcome = device.fetch_c();
      CHECK(!outcome.damage);
      std::vector<core::bf16> c(kSize * kSize);
      std::memcpy(c.data(), outcome.c(), c.size() * sizeof(core::bf16));
      int wrong = 0;
      for (int row = 0; row < kSize; ++row) {
        for (int col = 0; col < kSize; ++col) {
          const float value = core::to_float(c[row * kSize + col]);
          const bool expect_nan = row == kRow || col == kCol;
          wrong += expect_nan ? !std::isnan(value) : !(value >= 0.0f);
        }
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("05: what the chapter offers") {
  const harness::Chapter& chapter = harness::chapters().front();
  CHECK(chapter.epilogues == std::vector<std::string>{"identity", "alpha_beta", "bias_relu"});
  CHECK(chapter.splits_k);
  CHECK(chapter.layouts == std::vector<std::string>{"tn"});
  REQUIRE(chapter.variants.size() == 13);
  CHECK(chapter.variants.front().name == "by_size");
  CHECK(chapter.variants.back().name == "split_k_fused");
}
