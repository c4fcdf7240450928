// mma.sync.m16n8k16 with fp32 accumulators (PTX ISA, "Matrix Fragments for mma.m16n8k16").

#include "words.hpp"

#include <gpu/mma.hpp>

#include <core/numeric.hpp>

#include <bit>

namespace words::mma {

constexpr int kThreads = 64;

template <class T>
__global__ void multiply(const std::uint32_t* a, const std::uint32_t* b, const float* c,
                         int repeats, std::uint32_t* d) {
  const int thread = static_cast<int>(threadIdx.x);
  std::uint32_t a_registers[4], b_registers[2];
  float sum[4];
  for (int i = 0; i < 4; ++i) a_registers[i] = a[thread * 4 + i];
  for (int i = 0; i < 2; ++i) b_registers[i] = b[thread * 2 + i];
  for (int i = 0; i < 4; ++i) sum[i] = c[thread * 4 + i];
  for (int i = 0; i < repeats; ++i) gpu::mma_m16n8k16<T>(sum, a_registers, b_registers);
  for (int i = 0; i < 4; ++i) d[thread * 4 + i] = std::bit_cast<std::uint32_t>(sum[i]);
}

template <class T>
std::uint32_t pair(int low, int high) {
  const auto bits = [](int value) -> std::uint32_t {
    return core::from_float<T>(static_cast<float>(value)).bits;
  };
  return bits(low) | bits(high) << 16;
}

// With g = lane/4, t = lane%4:
//   A (16x16): register i holds row g + 8 (i%2), columns 2t + 8 (i/2) and the next
//   B (16x8):  register i holds rows 2t + 8 i and the next, column g
//   C (16x8):  register i holds row g + 8 (i/2), column 2t + i%2
template <class T>
Outcome run_multiply(Random& random, int limit, int repeats) {
  Words a, b;
  std::vector<float> c, expected;
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    const std::vector<int> left = random.smalls(16 * 16, limit),
                           right = random.smalls(16 * 8, limit),
                           start = random.smalls(16 * 8, 1000);
    for (int lane = 0; lane < 32; ++lane) {
      const int g = lane / 4, t = lane % 4;
      for (int i = 0; i < 4; ++i) {
        const int* at = &left[(g + 8 * (i % 2)) * 16 + 2 * t + 8 * (i / 2)];
        a.push_back(pair<T>(at[0], at[1]));
      }
      for (int i = 0; i < 2; ++i) {
        const int* at = &right[(2 * t + 8 * i) * 8 + g];
        b.push_back(pair<T>(at[0], at[8]));
      }
      for (int i = 0; i < 4; ++i) {
        const int row = g + 8 * (i / 2), col = 2 * t + i % 2;
        int sum = start[row * 8 + col];
        c.push_back(static_cast<float>(sum));
        for (int k = 0; k < 16; ++k) sum += repeats * left[row * 16 + k] * right[k * 8 + col];
        expected.push_back(static_cast<float>(sum));
      }
    }
  }
  return check(multiply<T>, grid(1, kThreads), recast(expected), a, b, c, repeats);
}

template <class T>
void add_type(Cases& cases) {
  for (const int limit : {1, 8, 256}) {
    for (const int repeats : {1, 2}) {
      add(cases, name("mma/m16n8k16.", T::kName, "/to", limit, ".times", repeats), run_multiply<T>,
          limit, repeats);
    }
  }
}

const Register kCases([](Cases& cases) {
  add_type<core::bf16>(cases);
  add_type<core::fp16>(cases);
});

}  // namespace words::mma
