// ldmatrix and stmatrix: 8x8 matrices of 16-bit elements between shared memory and the registers of
// a warp (PTX ISA, "Warp-level matrix load instruction").

#include "device.hpp"

namespace intrinsics::ldmatrix {

constexpr int kThreads = 64;  // two warps, each with rows of its own
constexpr int kRows = 160;    // 16-byte places in shared memory

struct Rows {
  alignas(16) std::uint32_t words[kRows * 4];
};

// Loads registers from the image, and leaves them in `out`, or stores `values` into the image and
// leaves that there.
template <int kCount, bool kTransposed, bool kStore>
__global__ void move(const std::uint32_t* image, const int* row, const std::uint32_t* values,
                     std::uint32_t* out) {
  auto& smem = gpu::static_smem<Rows>();
  const int thread = static_cast<int>(threadIdx.x);
  copy(smem.words, image, kRows * 4);
  __syncthreads();
  std::uint32_t* address = smem.words + row[thread] * 4;
  std::uint32_t registers[kCount];
  if constexpr (kStore) {
    for (int i = 0; i < kCount; ++i) registers[i] = values[thread * kCount + i];
    kTransposed ? gpu::stmatrix_trans(address, registers) : gpu::stmatrix(address, registers);
    __syncthreads();
    copy(out, smem.words, kRows * 4);
  } else {
    kTransposed ? gpu::ldmatrix_trans(registers, address) : gpu::ldmatrix(registers, address);
    for (int i = 0; i < kCount; ++i) out[thread * kCount + i] = registers[i];
  }
}

// Register m of lane l holds row l/4 of matrix m, columns 2 (l%4) and the next; transposed, column
// l/4, rows 2 (l%4) and the next. The lower half of a register is the first of the two. Row r of
// matrix m lies where lane 8 m + r says.
template <int kCount, bool kTransposed, bool kStore>
Outcome run_move(Random& random) {
  const Words image = random.words(kRows * 4);
  const Words values = kStore ? random.words(kThreads * kCount) : Words(kThreads * kCount);
  // Of a load, those beyond the matrices count for nothing.
  const std::vector<int> row =
      kStore ? random.places(kThreads, kRows)
             : made<int>(kThreads, [&](unsigned) { return random.below(kRows); });
  auto in_memory = recast<std::uint16_t>(image), in_registers = recast<std::uint16_t>(values);
  for (int value = 0; value < kThreads * kCount * 2; ++value) {
    const int half = value % 2, matrix = value / 2 % kCount, thread = value / 2 / kCount;
    const int along = thread % 32 / 4, across = 2 * (thread % 4) + half;
    const int r = kTransposed ? across : along, c = kTransposed ? along : across;
    std::uint16_t& element = in_memory[row[thread / 32 * 32 + 8 * matrix + r] * 8 + c];
    (kStore ? element : in_registers[value]) = kStore ? in_registers[value] : element;
  }
  return check(move<kCount, kTransposed, kStore>, grid(1, kThreads),
               recast(kStore ? in_memory : in_registers), image, row, values);
}

template <int kCount, bool kTransposed>
void add_form(Cases& cases) {
  for (int i = 1; i <= 4; ++i) {
    const std::string form = name("/x", kCount, kTransposed ? ".trans" : "", "/rows=", i);
    add(cases, "ldmatrix" + form, run_move<kCount, kTransposed, false>);
    add(cases, "stmatrix" + form, run_move<kCount, kTransposed, true>);
  }
}
template <int... kCounts>
void add_counts(Cases& cases) {
  (add_form<kCounts, false>(cases), ...);
  (add_form<kCounts, true>(cases), ...);
}

const Register kCases(add_counts<1, 2, 4>);

}  // namespace intrinsics::ldmatrix
