// Epilogues beyond the contract: with loads of single elements, with nothing to multiply, and with
// a NaN.

#include <harness/device_problem.hpp>

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

#include <cmath>
#include <cstring>

// With beta = 0, C is poisoned with NaN before the run.
TEST_CASE("epilogue: odd sizes, and K = 0") {
  using gemm::EpilogueKind;
  std::vector<test::Case> cases;
  for (const gemm::Epilogue epilogue : {gemm::Epilogue{EpilogueKind::kAlphaBeta, 2.0f, -1.0f},
                                        gemm::Epilogue{EpilogueKind::kAlphaBeta, 3.0f, 0.0f},
                                        gemm::Epilogue{EpilogueKind::kBiasRelu}}) {
    for (test::Case c : {test::packed(67, 131, 205), test::packed(40, 24, 0)}) {
      c.problem.epilogue = epilogue;
      cases.push_back(c);
    }
  }
  test::try_all(cases);
}

TEST_CASE("epilogue: bias and ReLU let a NaN through") {
  constexpr std::uint16_t kNan = 0x7fc0;
  constexpr int kSize = 40, kRow = 3, kCol = 17;
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  gemm::Problem problem = test::packed(kSize, kSize, 128).problem;
  problem.epilogue = {gemm::EpilogueKind::kBiasRelu};
  gemm::HostOperands host = gemm::make_operands(problem, gemm::Values::kIntegers, 1);
  std::memcpy(host.a.data() + 2 * kRow * 128, &kNan, sizeof(kNan));
  std::memcpy(host.bias.data() + 2 * kCol, &kNan, sizeof(kNan));
  for (const harness::Variant& variant : chapter.variants) {
    INFO("variant " << variant.name);
    const harness::DeviceProblem device(host);
    harness::prepare(chapter, variant, device.problem()).run(gpu::Stream{});
    const auto outcome = device.fetch_c();
    const auto* const c = static_cast<const core::bf16*>(outcome.c());
    int wrong = 0;
    for (int i = 0; i < kSize * kSize; ++i) {
      const float value = core::to_float(c[i]);
      const bool expect_nan = i / kSize == kRow || i % kSize == kCol;
      wrong += expect_nan ? !std::isnan(value) : !(value >= 0.0f);
    }
    CHECK(wrong == 0);
  }
}
