// One GEMM, C = A B^T with A (M, K), B (N, K) and C (M, N), rows contiguous: checked, then timed.
//
//   gemm [M N K]      exit status: 0 right, 1 wrong results, 2 refused, 3 an error of the device

#include <core/error.hpp>
#include <core/numeric.hpp>
#include <gemm/operands.hpp>
#include <gpu/host.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "copy.cuh"

namespace {

using core::bf16;

float as_float(bf16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

// Numbers from -1 to 1.
std::vector<bf16> random_numbers(std::int64_t size, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::vector<bf16> numbers(static_cast<std::size_t>(size));
  for (bf16& number : numbers) {
    const float value = static_cast<float>(random()) * 0x1p-30f - 1.0f;
    number.bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
  }
  return numbers;
}

// How many of C's entries, one in every 64 rows and columns, are further from their sums than
// rounding explains, of K products in any order to fp32 and of the sum to bf16.
int wrong_results(const std::vector<bf16>& a, const std::vector<bf16>& b,
                  const std::vector<bf16>& c, int m, int n, int k) {
  const float terms = static_cast<float>(k), to_fp32 = 0x1p-22f / 3 * terms * std::sqrt(terms);
  std::minstd_rand random(3);
  int wrong = 0;
  for (std::int64_t i = 0; i < m; i += 64) {
    for (std::int64_t j = 0; j < n; j += 64) {
      const std::int64_t row = std::min<std::int64_t>(i + random() % 64, m - 1);
      const std::int64_t col = std::min<std::int64_t>(j + random() % 64, n - 1);
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += as_float(a[row * k + l]) * as_float(b[col * k + l]);
      const float expected = static_cast<float>(sum), got = as_float(c[row * n + col]);
      const float allowed = to_fp32 + (std::abs(expected) + to_fp32) * 0x1p-8f;
      wrong += !(std::abs(got - expected) <= allowed);  // or NaN
    }
  }
  return wrong;
}

#if defined(__CUDACC__)
// The median of seven rounds: a rest, in which the GPU cools down, a launch to warm up, and
// launches between two events.
template <class Plan>
double median_milliseconds(const Plan& plan) {
  constexpr int kLaunches = 20;
  cudaEvent_t begin = nullptr, end = nullptr;
  gpu::check(cudaEventCreate(&begin), "cudaEventCreate");
  gpu::check(cudaEventCreate(&end), "cudaEventCreate");
  float rounds[7];
  for (float& milliseconds : rounds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    plan.run(nullptr);
    gpu::check(cudaEventRecord(begin), "cudaEventRecord");
    for (int i = 0; i < kLaunches; ++i) plan.run(nullptr);
    gpu::check(cudaEventRecord(end), "cudaEventRecord");
    gpu::check(cudaEventSynchronize(end), "kernel");
    gpu::check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  }
  std::sort(rounds, rounds + 7);
  return rounds[3] / kLaunches;
}
#endif

int run(int count, char** words) {
  int sizes[] = {4096, 4096, 4096};
  for (int i = 1; i < count; ++i) {
    char* end = nullptr;
    const long value = std::strtol(words[i], &end, 10);
    if (count != 4 || *end != 0 || value < 1 || value > 1 << 20) {
      throw core::Refused("usage: gemm [M N K], each from 1 to 1048576");
    }
    sizes[i - 1] = static_cast<int>(value);
  }
  const auto [m, n, k] = sizes;
  const auto a = random_numbers(std::int64_t{m} * k, 1), b = random_numbers(std::int64_t{n} * k, 2);
  std::vector<bf16> c(static_cast<std::size_t>(m) * n, bf16{0xffff});  // NaN
  const std::vector<bf16>* const host[] = {&a, &b, &c};
  std::shared_ptr<bf16> device[3];
  for (int i = 0; i < 3; ++i) {
    device[i] = {static_cast<bf16*>(gpu::allocate(host[i]->size() * sizeof(bf16))), gpu::release};
    gpu::copy_to_device(device[i].get(), host[i]->data(), host[i]->size() * sizeof(bf16));
  }
  const gemm::Operands<bf16> g{device[0].get(), device[1].get(), device[2].get(), k, k, n, m, n, k};
  if (!fits(g)) throw core::Refused(std::string(kName) + " needs " + kNeeds);
  const auto plan = prepare<bf16, Chosen>(g);
  plan.run(nullptr);
  gpu::synchronize();
  gpu::copy_to_host(c.data(), g.c, c.size() * sizeof(bf16));
  if (const int wrong = wrong_results(a, b, c, m, n, k)) {
    std::printf("%s, %dx%dx%d: %d results are wrong\n", kName, m, n, k, wrong);
    return core::ExitStatus::kWrongResult;
  }
  std::printf("%s, %dx%dx%d: ok\n", kName, m, n, k);
#if defined(__CUDACC__)
  const double milliseconds = median_milliseconds(plan);
  std::printf("%.4f ms, %.1f TFLOPS\n", milliseconds, 2e-9 * m * n * k / milliseconds);
#endif
  return core::ExitStatus::kRight;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gemm: %s\n", error.what());
    const bool refused = dynamic_cast<const core::Refused*>(&error) != nullptr;
    return refused ? core::ExitStatus::kRefused : core::ExitStatus::kDeviceError;
  }
}
