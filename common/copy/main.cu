// One GEMM, C = A B^T with A (M, K), B (N, K) and C (M, N), rows contiguous: checked, then timed.
//
//   gemm [M N K]      exit status: 0 right, 1 wrong results, 2 refused, 3 an error of the device

#include <core/error.hpp>
#include <core/numeric.hpp>
#include <gemm/operands.hpp>
#include <gpu/convert.hpp>
#include <gpu/global.hpp>
#include <gpu/host.hpp>
#include <gpu/launch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "copy.cuh"

namespace {

using core::bf16;

// Multiples of 1/64 from -1 to 1: sums of their products below 4096 are exact in fp32, in any
// order.
__global__ void fill(std::int64_t size, bf16* data, std::uint32_t seed) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  std::uint32_t bits = (static_cast<std::uint32_t>(i) + seed) * 2654435761u;
  bits = (bits ^ bits >> 15) * 0x2c1b3c6du;  // the upper bits are mixed best
  data[i] = gpu::from_float<bf16>(static_cast<float>((bits >> 8) % 129) / 64 - 1);
}

// Counts the entries of C that differ from the rounded sum, which fp64 holds exactly.
__global__ void count_wrong(std::int64_t size, gemm::Operands<bf16> g, int* wrong) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t row = i / g.n, col = i % g.n;
  double sum = 0;
  for (int k = 0; k < g.k; ++k) {
    const double a = gpu::to_float(g.a[row * g.lda + k]), b = gpu::to_float(g.b[col * g.ldb + k]);
    sum += a * b;
  }
  const float expected = gpu::to_float(gpu::from_float<bf16>(static_cast<float>(sum)));
  if (gpu::to_float(g.c[row * g.ldc + col]) != expected) gpu::atomic_add(wrong, 1);  // or NaN
}

template <class... Params, class... Args>
void launch_for_each(std::int64_t size, void (*kernel)(Params...), const Args&... args) {
  const auto blocks = static_cast<unsigned>((size + 255) / 256);
  gpu::launch(kernel, {.grid = dim3(blocks), .block = dim3(256)}, nullptr, size, args...);
}

template <class T>
std::shared_ptr<T> device_array(std::int64_t size) {
  return {static_cast<T*>(gpu::allocate(static_cast<std::size_t>(size) * sizeof(T))), gpu::release};
}

#if defined(__CUDACC__)
// The median of seven rounds: a rest, a launch to warm up, and about 3 ms of launches.
template <class Plan>
double median_milliseconds(const Plan& plan) {
  cudaEvent_t begin = nullptr, end = nullptr;
  for (auto* event : {&begin, &end}) gpu::check(cudaEventCreate(event), "cudaEventCreate");
  const auto milliseconds = [&](int launches) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    plan.run(nullptr);
    gpu::check(cudaEventRecord(begin), "cudaEventRecord");
    for (int i = 0; i < launches; ++i) plan.run(nullptr);
    gpu::check(cudaEventRecord(end), "cudaEventRecord");
    gpu::check(cudaEventSynchronize(end), "kernel");
    float all = 0;
    gpu::check(cudaEventElapsedTime(&all, begin, end), "cudaEventElapsedTime");
    return static_cast<double>(all) / launches;
  };
  const int launches = std::clamp(static_cast<int>(std::ceil(3.0 / milliseconds(5))), 1, 1000);
  double rounds[7];
  for (double& round : rounds) round = milliseconds(launches);
  std::sort(rounds, rounds + 7);
  return rounds[3];
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
  const std::int64_t results = std::int64_t{m} * n;
  const auto a = device_array<bf16>(std::int64_t{m} * k),
             b = device_array<bf16>(std::int64_t{n} * k);
  const auto c = device_array<bf16>(results);
  const auto wrong = device_array<int>(1);
  const gemm::Operands<bf16> g{a.get(), b.get(), c.get(), k, k, n, m, n, k};
  if (!fits(g)) throw core::Refused(std::string(kName) + " needs " + kNeeds);
  launch_for_each(m * g.lda, fill, a.get(), 1u);
  launch_for_each(n * g.ldb, fill, b.get(), 1u << 31);
  gpu::fill_bytes(c.get(), 0xff, static_cast<std::size_t>(results) * sizeof(bf16));  // NaN
  gpu::fill_bytes(wrong.get(), 0, sizeof(int));
  const auto plan = prepare<bf16, Chosen>(g);
  plan.run(nullptr);
  launch_for_each(results, count_wrong, g, wrong.get());
  gpu::synchronize();
  int found = 0;
  gpu::copy_to_host(&found, wrong.get(), sizeof(int));
  if (found != 0) {
    std::printf("%s, %dx%dx%d: %d results are wrong\n", kName, m, n, k, found);
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
