// mma.sync.m16n8k16 with fp32 accumulators (PTX ISA, "Matrix Fragments for mma.m16n8k16").

#include "wgmma.hpp"

namespace intrinsics::mma {

constexpr int kThreads = 64;

template <class T>
__global__ void multiply(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                         int repeats, std::uint32_t* d) {
  const int thread = static_cast<int>(threadIdx.x);
  std::uint32_t a_registers[4], b_registers[2];
  float sum[4];
  for (int i = 0; i < 4; ++i) a_registers[i] = a[thread * 4 + i];
  for (int i = 0; i < 2; ++i) b_registers[i] = b[thread * 2 + i];
  for (int i = 0; i < 4; ++i) sum[i] = std::bit_cast<float>(c[thread * 4 + i]);
  for (int i = 0; i < repeats; ++i) gpu::mma_m16n8k16<T>(sum, a_registers, b_registers);
  for (int i = 0; i < 4; ++i) d[thread * 4 + i] = std::bit_cast<std::uint32_t>(sum[i]);
}

// A (16x16) and C (16x8) as fragments of wgmma, by one warp. With g = lane/4, t = lane%4, of B
// (16x8) register i holds rows 2t + 8 i and the next, column g: of its columns, the upper half of
// what an A has.
template <class T>
Outcome run_multiply(Random& random, int limit, int repeats) {
  Words a, b, c, expected;
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    const Elements left{random.smalls(16 * 16, limit), 16, kType<T>};
    const std::vector<int> right = random.smalls(16 * 8, limit);
    const auto by_column = [&](unsigned i) { return right[i % 16 * 8 + i / 16]; };
    const Elements columns{made<int>(16 * 8, by_column), 16, kType<T>};
    std::vector<int> d = random.smalls(16 * 8, 1000);
    append(c, accumulators(8, Sum::kF32, d, 32));
    const auto put = [&](int row, int col) {
      a.push_back(left.word(row, col));
      if (row < 8) b.push_back(columns.word(row, col));
    };
    for_each_pair(4, put, 32);
    const std::vector<int> products = product(left, columns, 0, 16);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] += repeats * products[i];
    append(expected, accumulators(8, Sum::kF32, d, 32));
  }
  return check(multiply<T>, grid(1, kThreads), expected, a, b, c, repeats);
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

}  // namespace intrinsics::mma
