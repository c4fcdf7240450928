// ldmatrix and stmatrix: 8x8 matrices of 16-bit elements between shared memory and the registers of
// a warp (PTX ISA, "Warp-level matrix load instruction").

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/ldmatrix.hpp>
#include <gpu/shared.hpp>

#include <string>

namespace words {

namespace ldmatrix {

constexpr int kThreads = 64;  // two warps, each with rows of its own
constexpr int kRows = 160;    // 16-byte places in shared memory

struct Rows {
  alignas(16) std::uint32_t words[kRows * 4];
};

template <int kCount, bool kTransposed>
__global__ void load(const std::uint32_t* image, const int* row, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Rows>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kRows * 4; i += kThreads) smem.words[i] = image[i];
  __syncthreads();
  std::uint32_t registers[kCount];
  if constexpr (kTransposed) {
    gpu::ldmatrix_trans(registers, smem.words + row[thread] * 4);
  } else {
    gpu::ldmatrix(registers, smem.words + row[thread] * 4);
  }
  for (int i = 0; i < kCount; ++i) out[thread * kCount + i] = registers[i];
}

template <int kCount, bool kTransposed>
__global__ void store(const std::uint32_t* image, const int* row, const std::uint32_t* values,
                      std::uint32_t* out) {
  auto& smem = gpu::static_smem<Rows>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kRows * 4; i += kThreads) smem.words[i] = image[i];
  __syncthreads();
  std::uint32_t registers[kCount];
  for (int i = 0; i < kCount; ++i) registers[i] = values[thread * kCount + i];
  if constexpr (kTransposed) {
    gpu::stmatrix_trans(smem.words + row[thread] * 4, registers);
  } else {
    gpu::stmatrix(smem.words + row[thread] * 4, registers);
  }
  __syncthreads();
  for (int i = thread; i < kRows * 4; i += kThreads) out[i] = smem.words[i];
}

// Calls use(half of a shared-memory image, half of the threads' registers) for every element:
// register m of lane l holds row l/4 of matrix m, columns 2 (l%4) and the next; transposed, column
// l/4, rows 2 (l%4) and the next. The lower half of a register is the first of the two. Row r of
// matrix m lies where lane 8 m + r says.
template <class Use>
void for_each_element(int count, bool transposed, const std::vector<int>& row, Use use) {
  for (int thread = 0; thread < kThreads; ++thread) {
    const int first = thread / 32 * 32, lane = thread % 32;
    for (int matrix = 0; matrix < count; ++matrix) {
      for (int half = 0; half < 2; ++half) {
        const int along = lane / 4, across = 2 * (lane % 4) + half;
        const int r = transposed ? across : along, c = transposed ? along : across;
        use(row[first + 8 * matrix + r] * 8 + c, (thread * count + matrix) * 2 + half);
      }
    }
  }
}

std::vector<std::uint16_t> halves(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint16_t> out(2 * words.size());
  std::memcpy(out.data(), words.data(), 4 * words.size());
  return out;
}

template <int kCount, bool kTransposed>
Outcome run_load(const std::string& name) {
  Random random(name);
  const std::vector<std::uint32_t> image = random.words(kRows * 4);
  std::vector<int> row(kThreads);  // those beyond the matrices count for nothing
  for (int& place : row) place = random.below(kRows);
  const std::vector<std::uint16_t> elements = halves(image);
  std::vector<std::uint16_t> expected(kThreads * kCount * 2);
  for_each_element(kCount, kTransposed, row,
                   [&](int place, int value) { expected[value] = elements[place]; });

  const DeviceArray<std::uint32_t> d_image(image), out(kThreads * kCount);
  const DeviceArray<int> d_row(row);
  run(load<kCount, kTransposed>, {.grid = dim3(1), .block = dim3(kThreads)}, d_image.data(),
      d_row.data(), out.data());
  return {out.values(), as_words(expected)};
}

template <int kCount, bool kTransposed>
Outcome run_store(const std::string& name) {
  Random random(name);
  const std::vector<std::uint32_t> image = random.words(kRows * 4);
  const std::vector<std::uint32_t> values = random.words(kThreads * kCount);
  const std::vector<int> row = random.places(kThreads, kRows);
  const std::vector<std::uint16_t> elements = halves(values);
  std::vector<std::uint16_t> expected = halves(image);
  for_each_element(kCount, kTransposed, row,
                   [&](int place, int value) { expected[place] = elements[value]; });

  const DeviceArray<std::uint32_t> d_image(image), d_values(values), out(kRows * 4);
  const DeviceArray<int> d_row(row);
  run(store<kCount, kTransposed>, {.grid = dim3(1), .block = dim3(kThreads)}, d_image.data(),
      d_row.data(), d_values.data(), out.data());
  return {out.values(), as_words(expected)};
}

void add(Cases& cases, const std::string& form, Outcome (*run_case)(const std::string&)) {
  for (int i = 1; i <= 4; ++i) {
    const std::string name = form + "/rows=" + std::to_string(i);
    cases.push_back({name, [=] { return run_case(name); }});
  }
}

}  // namespace ldmatrix

Cases ldmatrix_cases() {
  using namespace ldmatrix;
  Cases cases;
  add(cases, "ldmatrix/x1", run_load<1, false>);
  add(cases, "ldmatrix/x2", run_load<2, false>);
  add(cases, "ldmatrix/x4", run_load<4, false>);
  add(cases, "ldmatrix/x1.trans", run_load<1, true>);
  add(cases, "ldmatrix/x2.trans", run_load<2, true>);
  add(cases, "ldmatrix/x4.trans", run_load<4, true>);
  add(cases, "stmatrix/x1", run_store<1, false>);
  add(cases, "stmatrix/x2", run_store<2, false>);
  add(cases, "stmatrix/x4", run_store<4, false>);
  add(cases, "stmatrix/x1.trans", run_store<1, true>);
  add(cases, "stmatrix/x2.trans", run_store<2, true>);
  add(cases, "stmatrix/x4.trans", run_store<4, true>);
  return cases;
}

}  // namespace words
