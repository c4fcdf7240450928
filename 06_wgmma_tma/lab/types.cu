// How many bits of a sum wgmma keeps in fp32 accumulators, by the type of its operands. README.md
// explains it.

#include "lab.hpp"

#include <gpu/launch.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/wgmma_others.hpp>
#include <test/device_array.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wgmma_lab {

namespace {

constexpr int kCols = 8;

// K-major without a swizzle: 32 bytes of k, in two columns of core matrices.
struct alignas(128) Tiles {
  std::uint32_t a[2 * kRowsA * 4], b[2 * kCols * 4];
};

// D (64, 8), column-major: start + A B^T.
template <class T>
__global__ void __launch_bounds__(kThreads) sum_kernel(const Tiles* tiles, float start, float* d) {
  auto& smem = gpu::dynamic_smem<Tiles>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < 2 * kRowsA * 4; i += kThreads) smem.a[i] = tiles->a[i];
  if (thread < 2 * kCols * 4) smem.b[thread] = tiles->b[thread];
  gpu::fence_proxy_async_shared();
  __syncthreads();
  float sum[4] = {start, start, start, start};
  gpu::wgmma_fence();
  gpu::wgmma<T>(sum, gpu::matrix_descriptor(smem.a, kNone, kRowsA * 16, 128),
                gpu::matrix_descriptor(smem.b, kNone, kCols * 16, 128));
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  constexpr layout::Layout kResult = layout::wgmma_m64k16(kCols).c;
#pragma unroll
  for (int i = 0; i < 4; ++i) d[layout::at<kResult>(thread, i)] = sum[i];
}

// A row's element k of the first two, the only ones that are not 0: 2^exponent, or 1.5 times that.
template <class T>
void put(std::uint32_t* row, int k, int exponent, bool half_more = false) {
  constexpr int kFraction = 8 * sizeof(T) - 1 - T::kExponentBits;
  const int bias = (1 << (T::kExponentBits - 1)) - 1;
  const int bits = (exponent + bias) << kFraction | (half_more ? 1 << (kFraction - 1) : 0);
  std::memcpy(reinterpret_cast<char*>(row) + k * sizeof(T), &bits, sizeof(T));
}

// What 2^16 + small is more than 2^16, small = 2^(16 - s) or 1.5 times that, for s = 0 .. 28. 2^16
// is a product, or what the accumulators hold.
template <class T>
std::vector<float> sums(bool in_accumulators, bool half_more) {
  std::vector<Tiles> tiles(1);
  for (int row = 0; row < kRowsA; ++row) {
    if (!in_accumulators) put<T>(&tiles[0].a[4 * row], 0, 8);
    put<T>(&tiles[0].a[4 * row], 1, 8 - row % 15, half_more);
  }
  for (int col = 0; col < kCols; ++col) {
    put<T>(&tiles[0].b[4 * col], 0, 8);
    put<T>(&tiles[0].b[4 * col], 1, 8 - 2 * col);
  }
  const test::DeviceArray<Tiles> device_tiles(tiles);
  const test::DeviceArray<float> d(kRowsA * kCols);
  const auto shape = gpu::launch_shape(
      sum_kernel<T>, {.grid = dim3(1), .block = dim3(kThreads), .dynamic_smem = sizeof(Tiles)});
  gpu::launch(sum_kernel<T>, shape, nullptr, device_tiles.data(), in_accumulators ? 0x1p16f : 0.0f,
              d.data());
  gpu::synchronize();
  std::vector<float> out;
  for (int s = 0; s <= 28; ++s) {
    const int col = std::min(s / 2, kCols - 1), row = s - 2 * col;
    out.push_back(d.values()[static_cast<std::size_t>(row + kRowsA * col)] - 0x1p16f);
  }
  return out;
}

template <class T>
std::string accumulators_row() {
  std::string text = layout::join("| ", T::kName, " ");
  for (const bool in_accumulators : {false, true}) {
    const std::vector<float> kept = sums<T>(in_accumulators, false);
    int s = -1;  // the last at which all of `small` is there
    while (s < 28 && kept[s + 1] == std::ldexp(1.0f, 15 - s)) ++s;
    const float more = s < 0 ? 0 : sums<T>(in_accumulators, true)[s] / kept[s];
    const char* below = more == 1 ? "cut off" : more == 2 ? "rounded" : "neither";
    text += layout::join("| ", s, " | ", below, " ");
  }
  return text + "|\n";
}

}  // namespace

std::string accumulators_table() {
  return "| A and B | beside a product, bits kept | below | onto accumulators, bits kept | below "
         "|\n"
         "| --- | --: | --- | --: | --- |\n" +
         accumulators_row<core::bf16>() + accumulators_row<fp16>() +
         accumulators_row<core::tf32>() + accumulators_row<core::e4m3>() +
         accumulators_row<core::e5m2>();
}

}  // namespace wgmma_lab
