// One GEMM: C = A B^T with A (M, K), B (N, K) and C (M, N), run once and checked against sums in
// fp64. The same file makes the program for the GPU and the one for the CPU backend.

#include <core/program.hpp>
#include <gemm/operands.hpp>
#include <gemm/reference.hpp>
#include <gemm/tolerance.hpp>
#include <gpu/host.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "copy.cuh"

namespace {

using Element = core::bf16;  // or core::fp16, and its DataType
constexpr gemm::DataType kType = gemm::DataType::kBf16;
constexpr std::int64_t M = 200, N = 320, K = 200;

std::shared_ptr<void> upload(const gemm::Bytes& matrix) {
  std::shared_ptr<void> memory(gpu::allocate(matrix.size()), gpu::release);
  gpu::copy_to_device(memory.get(), matrix.data(), matrix.size());
  return memory;
}

// What becomes of a sum on its way to C, where C held `old` before.
template <class Plan>
double finish(const Plan& plan, double sum, float old) {
  if constexpr (requires { plan.epilogue_op; }) {
    return plan.epilogue_op(static_cast<float>(sum), old, 0.0f);
  } else {
    return sum;
  }
}

int run() {
  constexpr auto kUniform = gemm::Values::kUniform;  // random numbers from -1 to 1
  const auto host = gemm::make_operands(gemm::packed_problem(M, N, K, kType), kUniform, 1);
  std::vector<Element> c(M * N);
  gemm::fill_matrix(c.data(), kType, M, N, N, gemm::Major::kK, kUniform, 0, 3);
  const std::vector<Element> before = c;

  const auto a_memory = upload(host.a), b_memory = upload(host.b), c_memory = upload(host.c);
  gpu::copy_to_device(c_memory.get(), c.data(), host.c.size());
  gemm::Problem problem = host.problem;
  problem.a = a_memory.get();
  problem.b = b_memory.get();
  problem.c = c_memory.get();
  gemm::validate(problem, kName);
  const auto plan = make_plan<Element>(problem);
  plan.run(nullptr);
  gpu::synchronize();
  gpu::copy_to_host(c.data(), c_memory.get(), host.c.size());

  const std::vector<double> sums = gemm::reference(host.problem);
  const gemm::Tolerance tolerance = gemm::Tolerance::of(host.problem, kUniform, 0);
  int wrong = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double expected = finish(plan, sums[i], core::to_float(before[i]));
    wrong += !(std::abs(core::to_float(c[i]) - expected) <= tolerance.allowed(expected));  // or NaN
  }
  const std::string verdict = wrong == 0 ? "ok" : std::to_string(wrong) + " results are wrong";
  std::printf("%s, %s, %s: %s\n", kName, problem.shape().c_str(), Element::kName, verdict.c_str());
  return wrong == 0 ? core::kRight : core::kWrongResult;
}

}  // namespace

int main() {
  return core::run_main("gemm", run);
}
