// A small tiled matrix product, written as the chapters write theirs: what the backend is for. It
// prints the time it took, which no test depends on.

#include "support.hpp"

#include <gpu/convert.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace {

struct Config {
  static constexpr int BM = 64, BN = 64, BK = 16, TM = 4, TN = 4;
  static constexpr int kThreads = (BM / TM) * (BN / TN);
};

template <class Config>
struct SharedStorage {
  alignas(16) float a[Config::BK][Config::BM];  // (BK, BM), A's tile transposed
  alignas(16) float b[Config::BK][Config::BN];
};

// C = A B^T with A (m, k), B (n, k), C (m, n), all row-major; k a multiple of 8.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const T* a, const T* b, T* c, int m, int n, int k) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK, TM = Config::TM, TN = Config::TN;
  auto& smem = gpu::static_smem<SharedStorage<Config>>();
  const int thread = static_cast<int>(threadIdx.x);
  const int block_row = static_cast<int>(blockIdx.y) * BM,
            block_col = static_cast<int>(blockIdx.x) * BN;
  const int thread_row = thread / (BN / TN) * TM, thread_col = thread % (BN / TN) * TN;
  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
    for (int i = thread; i < BM * BK / 8; i += Config::kThreads) {
      const int row = i / (BK / 8), col = i % (BK / 8) * 8;
      const auto va = gpu::load_global_if<8>(block_row + row < m && k0 + col < k,
                                             a + (block_row + row) * k + k0 + col);
      const auto vb = gpu::load_global_if<8>(block_col + row < n && k0 + col < k,
                                             b + (block_col + row) * k + k0 + col);
      for (int j = 0; j < 8; ++j) {
        smem.a[col + j][row] = gpu::to_float(va[j]);
        smem.b[col + j][row] = gpu::to_float(vb[j]);
      }
    }
    __syncthreads();
    for (int kk = 0; kk < BK; ++kk) {
      const auto fa = gpu::load_shared<TM>(&smem.a[kk][thread_row]);
      const auto fb = gpu::load_shared<TN>(&smem.b[kk][thread_col]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += fa[i] * fb[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      const int row = block_row + thread_row + i, col = block_col + thread_col + j;
      if (row < m && col < n) c[row * n + col] = gpu::from_float<T>(sum[i][j]);
    }
  }
}

void check_product(int m, int n, int k) {
  using T = core::bf16;
  const auto value = [](int seed, int i) {
    return static_cast<float>((i * 7 + i / 13 + seed) % 5 - 2);
  };
  std::vector<T> a(m * k), b(n * k);
  for (int i = 0; i < m * k; ++i) a[i] = core::from_float<T>(value(1, i));
  for (int i = 0; i < n * k; ++i) b[i] = core::from_float<T>(value(2, i));
  DeviceArray<T> device_a(a), device_b(b), device_c(static_cast<std::size_t>(m) * n);
  const auto start = std::chrono::steady_clock::now();
  gpu::launch(gemm_kernel<T, Config>,
              {.grid = dim3((n + 63) / 64, (m + 63) / 64), .block = dim3(Config::kThreads)},
              nullptr, device_a.data(), device_b.data(), device_c.data(), m, n, k);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%dx%dx%d tile kernel: %.1f ms\n", m, n, k, took.count());
  const std::vector<T> c = device_c.values();
  int wrong = 0;
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 0.0f;
      for (int i = 0; i < k; ++i) sum += value(1, row * k + i) * value(2, col * k + i);
      wrong += c[row * n + col].bits != core::from_float<T>(sum).bits;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a tiled product is right at ragged sizes under every order of warps") {
  const KeepSettings keep;
  for (const char* policy : {"late", "early", "mix", "random:1", "random:2", "random:3"}) {
    runtime::set_policy(policy);
    check_product(70, 130, 40);
  }
}

TEST_CASE("a tiled product of 512 x 512 x 512") {
  check_product(512, 512, 512);
}
