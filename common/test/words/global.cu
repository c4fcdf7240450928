// Global memory: kinds of stores, atomic additions, and semaphores between blocks (PTX ISA, "st",
// "atom", "Memory Consistency Model").

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/global.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>

#include <core/numeric.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace words {

namespace global {

constexpr int kThreads = 128;

// --- Stores
// ----------------------------------------------------------------------------------------------

enum class Kind { kStreaming, kWriteThrough };

// Thread t copies vector t of the source to vector to[t].
template <class T, int N, Kind kKind>
__global__ void scatter(const T* source, const int* to, T* out) {
  const core::AlignedVector<T, N> value = gpu::load_global<N>(source + threadIdx.x * N);
  if constexpr (kKind == Kind::kStreaming) {
    gpu::store_global_streaming(out + to[threadIdx.x] * N, value);
  } else {
    gpu::store_global_write_through(out + to[threadIdx.x] * N, value);
  }
}

template <class T, int N, Kind kKind>
Outcome run_scatter(const std::string& name) {
  constexpr int kBytes = sizeof(T) * N;
  Random random(name);
  const std::vector<unsigned char> source = random.bytes(kThreads * kBytes);
  std::vector<unsigned char> expected = random.bytes(2 * kThreads * kBytes);
  const std::vector<int> to = random.places(kThreads, 2 * kThreads);
  const DeviceArray<unsigned char> d_source(source), out(expected);
  const DeviceArray<int> d_to(to);
  for (int t = 0; t < kThreads; ++t) {
    std::copy_n(&source[t * kBytes], kBytes, &expected[to[t] * kBytes]);
  }
  run(scatter<T, N, kKind>, {.grid = dim3(1), .block = dim3(kThreads)},
      reinterpret_cast<const T*>(d_source.data()), d_to.data(), reinterpret_cast<T*>(out.data()));
  return {as_words(out.values()), as_words(expected)};
}

template <class T, int N>
void add_scatter(Cases& cases, const std::string& type) {
  const std::string suffix = "/" + type + "x" + std::to_string(N);
  const std::string streaming = "global/st.cs" + suffix, through = "global/st.wt" + suffix;
  cases.push_back({streaming, [=] { return run_scatter<T, N, Kind::kStreaming>(streaming); }});
  cases.push_back({through, [=] { return run_scatter<T, N, Kind::kWriteThrough>(through); }});
}

// --- Atomic additions
// ---------------------------------------------------------------------------------------

constexpr int kCounters = 5;

template <class T>
__global__ void count(const T* values, T* counters, T* before) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  before[i] = gpu::atomic_add(&counters[i % kCounters], values[i]);
}

// The order of additions is open; that each one meets the sum of those before it, is not. Following
// the old values from the initial one must visit every addition to a counter once and end at its
// final value: what comes out is the sums, and the number of additions so visited.
template <class T>
Outcome run_count(const std::string& name) {
  constexpr int kBlocks = 6, kCount = kBlocks * kThreads;
  Random random(name);
  std::vector<T> values(kCount), start(kCounters), sums;
  for (T& value : values) value = static_cast<T>(1 + random.below(9));  // the sums grow
  for (T& value : start) value = static_cast<T>(random.below(1000));
  sums = start;
  for (int i = 0; i < kCount; ++i) sums[i % kCounters] += values[i];

  const DeviceArray<T> d_values(values), counters(start), before(kCount);
  run(count<T>, {.grid = dim3(kBlocks), .block = dim3(kThreads)}, d_values.data(), counters.data(),
      before.data());
  const std::vector<T> old = before.values(), end = counters.values();
  std::vector<int> order(kCount);
  for (int i = 0; i < kCount; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return old[a] < old[b]; });
  std::vector<T> reached = start;
  std::uint32_t visited = 0;
  for (const int i : order) {
    if (old[i] != reached[i % kCounters]) continue;
    reached[i % kCounters] += values[i];
    ++visited;
  }
  Outcome outcome{as_words(end), as_words(sums)};
  outcome.got.push_back(visited);
  outcome.expected.push_back(kCount);
  return outcome;
}

// --- Semaphores
// -------------------------------------------------------------------------------------------------

// Blocks take turns at one row of numbers, in ascending or descending order of their index; what
// each makes of it depends on the order.
__global__ void take_turns(int* semaphore, bool descending, std::uint32_t* row) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const int turn = descending ? blocks - 1 - block : block;
  if (threadIdx.x == 0) gpu::semaphore_wait(semaphore, turn);
  __syncthreads();
  row[threadIdx.x] = row[threadIdx.x] * 3 + blockIdx.x * kThreads + threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) gpu::semaphore_release(semaphore, turn + 1);
}

Outcome run_turns(const std::string& name, int blocks, bool descending) {
  std::vector<std::uint32_t> expected = Random(name).words(kThreads);
  const DeviceArray<std::uint32_t> row(expected);
  const DeviceArray<int> semaphore(std::vector<int>(1, 0));
  for (int turn = 0; turn < blocks; ++turn) {
    const int block = descending ? blocks - 1 - turn : turn;
    for (int t = 0; t < kThreads; ++t) {
      expected[t] = expected[t] * 3 + static_cast<std::uint32_t>(block * kThreads + t);
    }
  }
  run(take_turns, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kThreads)},
      semaphore.data(), descending, row.data());
  Outcome outcome{row.values(), expected};
  outcome.got.push_back(static_cast<std::uint32_t>(semaphore.values()[0]));
  outcome.expected.push_back(static_cast<std::uint32_t>(blocks));
  return outcome;
}

// Each block leaves a row behind and counts itself; the last one adds them up.
struct Last {
  int before;
};

__global__ void last_adds_up(const std::uint32_t* values, int* arrived, std::uint32_t* rows,
                             std::uint32_t* sums, int* places) {
  auto& smem = gpu::static_smem<Last>();
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;
  rows[at] = values[at] * 5;
  __syncthreads();
  if (threadIdx.x == 0) {
    smem.before = gpu::semaphore_add(arrived, 1);
    places[blockIdx.x] = smem.before;
  }
  __syncthreads();
  if (smem.before != static_cast<int>(gridDim.x) - 1) return;
  std::uint32_t sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) sum += rows[block * kThreads + threadIdx.x];
  sums[threadIdx.x] = sum;
}

Outcome run_last(const std::string& name, int blocks) {
  const auto count = static_cast<std::size_t>(blocks);
  const std::vector<std::uint32_t> values = Random(name).words(count * kThreads);
  std::vector<std::uint32_t> expected(kThreads, 0u);
  for (std::size_t i = 0; i < values.size(); ++i) expected[i % kThreads] += values[i] * 5;
  const DeviceArray<std::uint32_t> d_values(values), rows(values.size()), sums(kThreads);
  const DeviceArray<int> arrived(std::vector<int>(1, 0)), places(count);
  run(last_adds_up, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kThreads)},
      d_values.data(), arrived.data(), rows.data(), sums.data(), places.data());
  Outcome outcome{sums.values(), expected};
  std::vector<int> order = places.values();
  std::sort(order.begin(), order.end());
  for (int i = 0; i < blocks; ++i) {
    outcome.got.push_back(static_cast<std::uint32_t>(order[i]));
    outcome.expected.push_back(static_cast<std::uint32_t>(i));
  }
  return outcome;
}

}  // namespace global

Cases global_cases() {
  using namespace global;
  Cases cases;
  add_scatter<core::bf16, 1>(cases, "bf16");
  add_scatter<std::uint32_t, 1>(cases, "u32");
  add_scatter<float, 2>(cases, "f32");
  add_scatter<float, 4>(cases, "f32");
  add_scatter<core::bf16, 2>(cases, "bf16");
  add_scatter<core::bf16, 4>(cases, "bf16");
  add_scatter<core::fp16, 8>(cases, "fp16");
  const std::string form = "global/atom.add/";
  cases.push_back({form + "int", [=] { return run_count<int>(form + "int"); }});
  cases.push_back({form + "unsigned", [=] { return run_count<unsigned>(form + "unsigned"); }});
  cases.push_back({form + "float", [=] { return run_count<float>(form + "float"); }});
  for (const int blocks : {1, 2, 8, 33}) {
    const std::string name = "global/semaphore/ascending.blocks=" + std::to_string(blocks);
    cases.push_back({name, [=] { return run_turns(name, blocks, false); }});
  }
  // A block that waits for a later one needs it to be there already: few blocks, then.
  for (const int blocks : {2, 4, 8}) {
    const std::string name = "global/semaphore/descending.blocks=" + std::to_string(blocks);
    cases.push_back({name, [=] { return run_turns(name, blocks, true); }});
  }
  for (const int blocks : {1, 7, 40}) {
    const std::string name = "global/semaphore.add/blocks=" + std::to_string(blocks);
    cases.push_back({name, [=] { return run_last(name, blocks); }});
  }
  return cases;
}

}  // namespace words
