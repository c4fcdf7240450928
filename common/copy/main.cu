// One GEMM: C = A B^T with A (M, K), B (N, K) and C (M, N), run once and checked against sums in
// fp64. The same file makes the program for the GPU and the one for the CPU backend.

#include <core/numeric.hpp>
#include <core/program.hpp>
#include <gemm/operands.hpp>
#include <gpu/host.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "copy.cuh"

namespace {

using Element = core::bf16;  // or core::fp16, and its DataType
constexpr gemm::DataType kType = gemm::DataType::kBf16;
constexpr std::int64_t M = 200, N = 320, K = 200;

std::vector<Element> random_matrix(std::int64_t rows, std::int64_t cols, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<Element> out(static_cast<std::size_t>(rows * cols));
  for (Element& element : out) element = core::from_float<Element>(uniform(generator));
  return out;
}

std::shared_ptr<void> upload(const std::vector<Element>& matrix) {
  const std::size_t bytes = matrix.size() * sizeof(Element);
  std::shared_ptr<void> memory(gpu::allocate(bytes), gpu::release);
  gpu::copy_to_device(memory.get(), matrix.data(), bytes);
  return memory;
}

// What becomes of a sum on its way to C, where C held `old` before.
template <class Plan>
double finish(const Plan& plan, double sum, float old, int col) {
  if constexpr (requires { plan.epilogue; }) {
    return plan.epilogue(static_cast<float>(sum), old, col);
  } else if constexpr (requires { plan.epilogue_op; }) {
    return plan.epilogue_op(static_cast<float>(sum), old, 0.0f);
  } else {
    return sum;
  }
}

// What a chapter's program asks of a problem before it is planned; of tiles that come by TMA, what
// that asks too.
template <class Config>
void validate(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if constexpr (requires { typename Config::TileA; }) gemm::require_tma(problem, kName);
}

int run() {
  const auto a = random_matrix(M, K, 1), b = random_matrix(N, K, 2),
             before = random_matrix(M, N, 3);
  const auto a_memory = upload(a), b_memory = upload(b), c_memory = upload(before);
  const gemm::Problem problem{.m = M,
                              .n = N,
                              .k = K,
                              .type = kType,
                              .c_type = kType,
                              .a = a_memory.get(),
                              .lda = K,
                              .b = b_memory.get(),
                              .ldb = K,
                              .c = c_memory.get(),
                              .ldc = N,
                              .epilogue = {}};
  validate<Chosen>(problem);
  const auto plan = make_plan<Element>(problem);
  plan.run(nullptr);
  gpu::synchronize();
  std::vector<Element> c(before.size());
  gpu::copy_to_host(c.data(), c_memory.get(), c.size() * sizeof(Element));

  std::int64_t wrong = 0;
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < N; ++col) {
      double sum = 0, magnitude = 0;
      for (std::int64_t k = 0; k < K; ++k) {
        const double product =
            double{core::to_float(a[row * K + k])} * core::to_float(b[col * K + k]);
        sum += product;
        magnitude += std::abs(product);
      }
      const std::int64_t at = row * N + col;
      const double expected = finish(plan, sum, core::to_float(before[at]), static_cast<int>(col));
      // C is rounded to Element; the sums are in fp32, and tensor cores cut bits off.
      const double allowed =
          std::ldexp(std::abs(expected), -Element::kFractionBits - 1) + std::ldexp(magnitude, -16);
      if (!(std::abs(core::to_float(c[at]) - expected) <= allowed)) ++wrong;
    }
  }
  std::printf("%s, %s, %s: ", kName, problem.shape().c_str(), Element::kName);
  if (wrong == 0) {
    std::printf("ok\n");
  } else {
    std::printf("%lld of %lld results are wrong\n", static_cast<long long>(wrong),
                static_cast<long long>(M * N));
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  return core::run_main("gemm", run);
}
