// mma.sync.m16n8k16 with fp32 accumulators (PTX ISA, "Matrix Fragments for mma.m16n8k16").

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/mma.hpp>

#include <core/numeric.hpp>

#include <bit>
#include <string>

namespace words {

namespace mma {

constexpr int kWarps = 2;

template <class T>
__global__ void multiply(const std::uint32_t* a, const std::uint32_t* b, const float* c,
                         int repeats, float* d) {
  const int thread = static_cast<int>(threadIdx.x);
  std::uint32_t a_registers[4], b_registers[2];
  float sum[4];
  for (int i = 0; i < 4; ++i) a_registers[i] = a[thread * 4 + i];
  for (int i = 0; i < 2; ++i) b_registers[i] = b[thread * 2 + i];
  for (int i = 0; i < 4; ++i) sum[i] = c[thread * 4 + i];
  for (int i = 0; i < repeats; ++i) gpu::mma_m16n8k16<T>(sum, a_registers, b_registers);
  for (int i = 0; i < 4; ++i) d[thread * 4 + i] = sum[i];
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
Outcome run_multiply(const std::string& name, int limit, int repeats) {
  Random random(name);
  std::vector<std::uint32_t> a(kWarps * 128), b(kWarps * 64);
  std::vector<float> c(kWarps * 128), expected(kWarps * 128);
  for (int warp = 0; warp < kWarps; ++warp) {
    int left[16][16], right[16][8], start[16][8];
    for (auto& row : left) {
      for (int& value : row) value = random.small(limit);
    }
    for (auto& row : right) {
      for (int& value : row) value = random.small(limit);
    }
    for (auto& row : start) {
      for (int& value : row) value = random.small(1000);
    }
    for (int lane = 0; lane < 32; ++lane) {
      const int g = lane / 4, t = lane % 4, thread = warp * 32 + lane;
      for (int i = 0; i < 4; ++i) {
        const int row = g + 8 * (i % 2), col = 2 * t + 8 * (i / 2);
        a[thread * 4 + i] = pair<T>(left[row][col], left[row][col + 1]);
      }
      for (int i = 0; i < 2; ++i) {
        const int row = 2 * t + 8 * i;
        b[thread * 2 + i] = pair<T>(right[row][g], right[row + 1][g]);
      }
      for (int i = 0; i < 4; ++i) {
        const int row = g + 8 * (i / 2), col = 2 * t + i % 2;
        int sum = start[row][col];
        for (int k = 0; k < 16; ++k) sum += repeats * left[row][k] * right[k][col];
        c[thread * 4 + i] = static_cast<float>(start[row][col]);
        expected[thread * 4 + i] = static_cast<float>(sum);
      }
    }
  }
  const DeviceArray<std::uint32_t> d_a(a), d_b(b);
  const DeviceArray<float> d_c(c), d(kWarps * 128);
  run(multiply<T>, {.grid = dim3(1), .block = dim3(32 * kWarps)}, d_a.data(), d_b.data(),
      d_c.data(), repeats, d.data());
  return {as_words(d.values()), as_words(expected)};
}

template <class T>
void add(Cases& cases) {
  for (const int limit : {1, 8, 256}) {
    for (const int repeats : {1, 2}) {
      const std::string name = std::string("mma/m16n8k16.") + T::kName + "/to" +
                               std::to_string(limit) + ".times" + std::to_string(repeats);
      cases.push_back({name, [=] { return run_multiply<T>(name, limit, repeats); }});
    }
  }
}

}  // namespace mma

Cases mma_cases() {
  using namespace mma;
  Cases cases;
  add<core::bf16>(cases);
  add<core::fp16>(cases);
  return cases;
}

}  // namespace words
