// How many bits of a sum wgmma keeps in fp32 accumulators, by the type of its operands. README.md
// explains it.

#include "lab.hpp"

#include <gpu/launch.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/wgmma_others.hpp>
#include <test/device_array.hpp>

#include <bit>
#include <cmath>
#include <cstring>

namespace wgmma_lab {

namespace {

using Words = std::vector<std::uint32_t>;
using Values = std::function<float(int row, int k)>;

constexpr int kCols = 8;

struct alignas(128) Tiles {
  std::uint32_t a[512], b[64];  // 64 and 8 rows, K-major without a swizzle: 32 bytes of k
};

// D (64, 8), column-major: start + A B^T.
template <class T>
__global__ void __launch_bounds__(kThreads)
    sum_kernel(const std::uint32_t* a, const std::uint32_t* b, float start, float* d) {
  auto& smem = gpu::dynamic_smem<Tiles>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < 512; i += kThreads) smem.a[i] = a[i];
  if (thread < 64) smem.b[thread] = b[thread];
  gpu::fence_proxy_async_shared();
  __syncthreads();
  const auto left = gpu::matrix_descriptor(smem.a, kNone, kRowsA * 16, 128);
  const auto right = gpu::matrix_descriptor(smem.b, kNone, kCols * 16, 128);
  float sum[4] = {start, start, start, start};
  gpu::wgmma_fence();
  gpu::wgmma<T>(sum, left, right);
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  constexpr layout::Layout kResult = layout::wgmma_m64k16(kCols).c;
#pragma unroll
  for (int i = 0; i < 4; ++i) d[layout::at<kResult>(thread, i)] = sum[i];
}

// A number that T holds, as T.
template <class T>
T encode(float value) {
  if constexpr (core::SmallFloat<T>) {
    return core::from_float<T>(value);
  } else if constexpr (std::same_as<T, core::tf32>) {
    return {std::bit_cast<std::uint32_t>(value)};
  } else if constexpr (std::same_as<T, core::e5m2>) {
    return {static_cast<std::uint8_t>(core::from_float<fp16>(value).bits >> 8)};
  } else {  // the exponent's bias is 8 less than fp16's, and the fraction shorter
    const int bits = core::from_float<fp16>(value * 0x1p-8f).bits;
    return {static_cast<std::uint8_t>((bits >> 8 & 0x80) | (bits >> 7 & 0x7f))};
  }
}

// Core matrices along the rows, then the same 16 bytes further along k.
template <class T>
Words image(int rows, const Values& values) {
  constexpr int kUnit = 16 / sizeof(T);
  Words out(static_cast<std::size_t>(rows * 8));
  for (int i = 0; i < rows * 2 * kUnit; ++i) {
    const T element = encode<T>(values(i / kUnit % rows, i % kUnit + i / kUnit / rows * kUnit));
    std::memcpy(reinterpret_cast<char*>(out.data()) + i * sizeof(T), &element, sizeof(T));
  }
  return out;
}

template <class T>
std::vector<float> sums(const Values& a, const Values& b, float start) {
  const test::DeviceArray<std::uint32_t> left(image<T>(kRowsA, a)), right(image<T>(kCols, b));
  const test::DeviceArray<float> d(kRowsA * kCols);
  const auto shape = gpu::launch_shape(
      sum_kernel<T>, {.grid = dim3(1), .block = dim3(kThreads), .dynamic_smem = sizeof(Tiles)});
  gpu::launch(sum_kernel<T>, shape, nullptr, left.data(), right.data(), start, d.data());
  gpu::synchronize();
  return d.values();
}

// What becomes of 2^16 + small, small = factor * 2^(16 - s), for s = 0 .. 28. 2^16 is a product, or
// what the accumulators hold; small is a product, of powers of two from 2^8 down to 2^-6, which
// every type holds.
template <class T>
std::vector<float> large_and_small(bool in_accumulators, float factor) {
  const auto power = [](int exponent) { return std::ldexp(1.0f, exponent); };
  const auto a = [&](int row, int k) {
    if (k == 0) return in_accumulators ? 0 : power(8);
    return k == 1 ? factor * power(8 - row % 15) : 0;
  };
  const auto b = [&](int col, int k) { return k < 2 ? power(k == 0 ? 8 : 8 - 2 * col) : 0; };
  const std::vector<float> d = sums<T>(a, b, in_accumulators ? power(16) : 0);
  std::vector<float> out;
  for (int s = 0; s <= 28; ++s) {
    const int col = std::min(s / 2, kCols - 1), row = s - 2 * col;
    out.push_back(d[static_cast<std::size_t>(row + kRowsA * col)] - power(16));
  }
  return out;
}

// The largest s at which all of `small` is kept, and what becomes of one and a half times as much.
template <class T>
std::string accumulators_row(const char* name) {
  std::string text = layout::join("| ", name, " ");
  for (const bool in_accumulators : {false, true}) {
    const std::vector<float> kept = large_and_small<T>(in_accumulators, 1);
    int s = 0;
    while (s < 28 && kept[s + 1] == std::ldexp(1.0f, 15 - s)) ++s;
    const float half_more = large_and_small<T>(in_accumulators, 1.5f)[s] / kept[s];
    const char* below = half_more == 1 ? "cut off" : half_more == 2 ? "rounded" : "neither";
    text += layout::join("| ", s, " | ", below, " ");
  }
  return text + "|\n";
}

}  // namespace

std::string accumulators_table() {
  return "| A and B | beside a product, bits kept | below | onto accumulators, bits kept | below "
         "|\n"
         "| --- | --: | --- | --: | --- |\n" +
         accumulators_row<core::bf16>("bf16") + accumulators_row<fp16>("fp16") +
         accumulators_row<core::tf32>("tf32") + accumulators_row<core::e4m3>("e4m3") +
         accumulators_row<core::e5m2>("e5m2");
}

}  // namespace wgmma_lab
