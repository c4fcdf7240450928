// Epilogues beyond the contract: on whole and on ragged tiles, and with a NaN.

#include <gpu/host.hpp>
#include <harness/chapter.hpp>
#include <harness/device_problem.hpp>

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/rules.hpp>
#include <test/trial.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using test::Case;

constexpr gemm::Epilogue kEpilogues[] = {{},
                                         {gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f},
                                         {gemm::EpilogueKind::kAlphaBeta, 3.0f, 0.0f},
                                         {gemm::EpilogueKind::kBiasRelu}};

// Calls check(chapter, variant) under the policies whose turn it is.
template <class Check>
void for_every_variant(Check check) {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  std::size_t turn = 0;
  for (const harness::Variant& variant : chapter.variants) {
    for (const std::string& policy : test::policies_in_turn(chapter, turn++)) {
      test::set_policy(policy);
      INFO("variant " << variant.name << ", " << policy);
      check(chapter, variant);
    }
  }
}

Case problem(std::int64_t m, std::int64_t n, std::int64_t k, gemm::Values values,
             const gemm::Epilogue& epilogue) {
  Case c{.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16), .values = values};
  c.problem.epilogue = epilogue;
  return c;
}

}  // namespace

// With beta = 0, C is poisoned with NaN before the run.
TEST_CASE("epilogue: right on whole and on ragged tiles") {
  for_every_variant([](const harness::Chapter& chapter, const harness::Variant& variant) {
    for (const gemm::Epilogue& epilogue : kEpilogues) {
      for (const Case& c : {problem(128, 128, 192, gemm::Values::kIntegers, epilogue),
                            problem(67, 131, 200, gemm::Values::kUniform, epilogue),
                            problem(40, 24, 0, gemm::Values::kIntegers, epilogue)}) {
        INFO(label(c));
        test::Trial trial(c);
        trial.reset_c();
        harness::prepare(chapter, variant, trial.problem()).run(gpu::Stream{});
        gpu::synchronize();
        CHECK(trial.complaints() == std::vector<std::string>{});
      }
    }
  });
}

TEST_CASE("epilogue: bias and ReLU let a NaN through") {
  constexpr std::uint16_t kNan = 0x7fc0;
  constexpr int kSize = 40, kRow = 3, kCol = 17;
  for_every_variant([&](const harness::Chapter& chapter, const harness::Variant& variant) {
    gemm::HostOperands host = gemm::make_operands(
        problem(kSize, kSize, 128, gemm::Values::kIntegers, kEpilogues[3]).problem,
        gemm::Values::kIntegers, 1);
    std::memcpy(host.a.data() + 2 * kRow * 128, &kNan, sizeof(kNan));
    std::memcpy(host.bias.data() + 2 * kCol, &kNan, sizeof(kNan));
    const harness::DeviceProblem device(host);
    harness::prepare(chapter, variant, device.problem()).run(gpu::Stream{});
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
  });
}
