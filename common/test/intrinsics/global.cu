// Global memory and grids: kinds of stores, atomic additions, semaphores between blocks, grids one
// after the other, clocks (PTX ISA, "st", "atom", "griddepcontrol", "%clock64", "%globaltimer").

#include "device.hpp"

#include <map>

namespace intrinsics::global {

constexpr unsigned kThreads = 128;

// --- Stores

// Thread t copies vector t of the source to vector to[t].
template <class T, int N>
__global__ void scatter(const unsigned char* source, const int* to, bool streaming,
                        std::uint32_t* out) {
  const core::AlignedVector<T, N> value =
      gpu::load_global<N>(reinterpret_cast<const T*>(source) + threadIdx.x * N);
  T* place = reinterpret_cast<T*>(out) + to[threadIdx.x] * N;
  streaming ? gpu::store_global_streaming(place, value)
            : gpu::store_global_write_through(place, value);
}

template <class T, int N>
Outcome run_scatter(Random& random, bool streaming) {
  constexpr int kBytes = sizeof(T) * N;
  const auto source = random.bytes(kThreads * kBytes);
  auto expected = random.bytes(2 * kThreads * kBytes);
  const Words before = recast(expected);
  const std::vector<int> to = random.places(kThreads, 2 * kThreads);
  for (unsigned t = 0; t < kThreads; ++t) {
    std::copy_n(&source[t * kBytes], kBytes, &expected[to[t] * kBytes]);
  }
  return check_changed(scatter<T, N>, grid(1, kThreads), before, recast(expected), source, to,
                       streaming);
}

template <class T, int N>
void add_scatter(Cases& cases, const std::string& type) {
  add(cases, name("global/st.cs/", type, "x", N), run_scatter<T, N>, true);
  add(cases, name("global/st.wt/", type, "x", N), run_scatter<T, N>, false);
}

// --- Atomic additions

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
Outcome run_count(Random& random) {
  constexpr int kBlocks = 6, kCount = kBlocks * kThreads;
  std::vector<T> values(kCount), start(kCounters);
  for (T& value : values) value = static_cast<T>(1 + random.below(9));  // the sums grow
  for (T& value : start) value = static_cast<T>(random.below(1000));
  std::vector<T> sums = start;
  for (int i = 0; i < kCount; ++i) sums[i % kCounters] += values[i];

  const DeviceArray<T> counters(start), before(kCount);
  run(count<T>, grid(kBlocks, kThreads), values, counters.data(), before.data());
  const std::vector<T> old = before.values();
  std::map<std::pair<int, T>, T> additions;  // by their counter and what they found there
  for (int i = 0; i < kCount; ++i) additions[{i % kCounters, old[i]}] = values[i];
  std::uint32_t visited = 0;
  for (int i = 0; i < kCounters; ++i) {
    for (T at = start[i]; additions.count({i, at}) > 0; at += additions[{i, at}]) ++visited;
  }
  Outcome outcome{recast(counters.values()), recast(sums)};
  outcome.got.push_back(visited);
  outcome.expected.push_back(kCount);
  return outcome;
}

// Each counter ends where so many steps from 0 to `last`, and to 0 again, have brought it.
__global__ void count_around(unsigned last, std::uint32_t* counters) {
  gpu::atomic_inc(&counters[threadIdx.x % kCounters], last);
  counters[kCounters + threadIdx.x] = gpu::load_relaxed(&counters[threadIdx.x % kCounters]) <= last;
}

Outcome run_count_around(Random& random, unsigned last) {
  Words before(kCounters + kThreads), expected(kCounters + kThreads, 1);
  for (unsigned i = 0; i < kCounters; ++i) {
    const unsigned steps = 3 * ((kThreads - i + kCounters - 1) / kCounters);
    expected[i] = before[i] = random.below(2 * last + 2);
    for (unsigned step = 0; step < steps; ++step)
      expected[i] = expected[i] >= last ? 0 : expected[i] + 1;
  }
  return check_changed(count_around, grid(3, kThreads), before, expected, last);
}

// --- Semaphores

// Blocks take turns at one row of numbers, in ascending or descending order of their index; what
// each makes of it depends on the order. The semaphore lies behind the row.
__global__ void take_turns(bool descending, std::uint32_t* row) {
  int* semaphore = reinterpret_cast<int*>(row + kThreads);
  const unsigned turn = descending ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  if (threadIdx.x == 0) gpu::semaphore_wait(semaphore, static_cast<int>(turn));
  __syncthreads();
  row[threadIdx.x] = row[threadIdx.x] * 3 + blockIdx.x * kThreads + threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) gpu::semaphore_release(semaphore, static_cast<int>(turn) + 1);
}

Outcome run_turns(Random& random, unsigned blocks, bool descending) {
  Words before = random.words(kThreads), expected = before;
  for (unsigned turn = 0; turn < blocks; ++turn) {
    const unsigned block = descending ? blocks - 1 - turn : turn;
    for (unsigned t = 0; t < kThreads; ++t) expected[t] = expected[t] * 3 + block * kThreads + t;
  }
  before.push_back(0);
  expected.push_back(blocks);
  return check_changed(take_turns, grid(blocks, kThreads), before, expected, descending);
}

// Each block leaves a row behind, counts itself and marks its place; the last one adds the rows up.
__global__ void last_adds_up(const std::uint32_t* values, int* arrived, std::uint32_t* rows,
                             std::uint32_t* out) {
  int& before = gpu::static_smem<int>();
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;
  rows[at] = values[at] * 5;
  __syncthreads();
  if (threadIdx.x == 0) {
    before = gpu::semaphore_add(arrived, 1);
    out[kThreads + before] = static_cast<std::uint32_t>(before);
  }
  __syncthreads();
  if (before != static_cast<int>(gridDim.x) - 1) return;
  std::uint32_t sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) sum += rows[block * kThreads + threadIdx.x];
  out[threadIdx.x] = sum;
}

Outcome run_last(Random& random, unsigned blocks) {
  const Words values = random.words(blocks * kThreads);
  Words expected =
      made(kThreads + blocks, [](unsigned i) { return i < kThreads ? 0 : i - kThreads; });
  for (std::size_t i = 0; i < values.size(); ++i) expected[i % kThreads] += values[i] * 5;
  return check(last_adds_up, grid(blocks, kThreads), expected, values, std::vector<int>(1, 0),
               Words(values.size()));
}

// --- Grids

constexpr unsigned kBlocks = 40;
constexpr unsigned kCount = kBlocks * kThreads;

// When a grid lets the next one start: before its work, after it, or by ending.
enum class Signal { kEarly, kLate, kNever };

// The one before, and what needs nothing of it.
template <class Before>
__host__ __device__ std::uint32_t next_value(unsigned i, std::uint32_t sum, const Before& before) {
  for (unsigned j = 0; j < 4; ++j) sum += before[(i * 7 + j * (kCount / 4) + 1) % kCount];
  return sum;
}
__host__ __device__ std::uint32_t own_value(std::uint32_t sum) {
  for (int j = 0; j < 100; ++j) sum = sum * 3 + 1;
  return sum;
}

// Each number comes from another block's of the grid before.
__global__ void next(const std::uint32_t* before, Signal signal, std::uint32_t* after) {
  if (signal == Signal::kEarly) gpu::launch_dependents();
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const std::uint32_t own = own_value(i);
  gpu::wait_for_prior_grid();
  after[i] = next_value(i, own, before);
  if (signal == Signal::kLate) gpu::launch_dependents();
}

Outcome run_chain(Random& random, Signal signal, bool programmatic, int grids) {
  Words expected = random.words(kCount);
  const DeviceArray<std::uint32_t> first(expected), second(kCount);
  gpu::LaunchShape shape = grid(kBlocks, kThreads);
  for (int grid = 0; grid < grids; ++grid) {
    const bool even = grid % 2 == 0;
    shape.programmatic = programmatic && grid > 0;
    gpu::launch(next, shape, nullptr, even ? first.data() : second.data(), signal,
                even ? second.data() : first.data());
    const Words before = expected;
    expected = made(kCount, [&](unsigned i) { return next_value(i, own_value(i), before); });
  }
  gpu::synchronize();
  return {grids % 2 == 0 ? first.values() : second.values(), expected};
}

// Neither clock runs backwards, the cycles do run, and the multiprocessor is one that exists.
__global__ void read_clocks(float* sink, int sms, std::uint32_t* out) {
  std::uint64_t cycles[3], nanoseconds[3];
  float work = static_cast<float>(threadIdx.x);
  for (int i = 0; i < 3; ++i) {
    cycles[i] = gpu::clock_cycles();
    nanoseconds[i] = gpu::clock_nanoseconds();
    for (int j = 0; j < 1000; ++j) work = work * 0.5f + 1.0f;
    __syncthreads();
  }
  sink[blockIdx.x * kThreads + threadIdx.x] = work;
  if (threadIdx.x != 0) return;
  out += 4 * blockIdx.x;
  out[0] = cycles[0] <= cycles[1] && cycles[1] <= cycles[2] && cycles[0] < cycles[2];
  out[1] = nanoseconds[0] <= nanoseconds[1] && nanoseconds[1] <= nanoseconds[2];
  out[2] = gpu::sm_index() >= 0 && gpu::sm_index() < sms;
  out[3] = 0;
}

Outcome run_clocks(Random&) {
  const Words expected = made(4 * kBlocks, [](unsigned i) { return i % 4 == 3 ? 0u : 1u; });
  return check(read_clocks, grid(kBlocks, kThreads), expected, std::vector<float>(kCount),
               gpu::sm_count());
}

const Register kCases([](Cases& cases) {
  add_scatter<core::bf16, 1>(cases, "bf16");
  add_scatter<std::uint32_t, 1>(cases, "u32");
  add_scatter<float, 2>(cases, "f32");
  add_scatter<float, 4>(cases, "f32");
  add_scatter<core::bf16, 2>(cases, "bf16");
  add_scatter<core::bf16, 4>(cases, "bf16");
  add_scatter<core::fp16, 8>(cases, "fp16");
  add(cases, "global/atom.add/int", run_count<int>);
  add(cases, "global/atom.add/unsigned", run_count<unsigned>);
  add(cases, "global/atom.add/float", run_count<float>);
  for (const unsigned last : {0U, 1U, 9U, 1000U})
    add(cases, name("global/red.inc/last=", last), run_count_around, last);
  for (const unsigned blocks : {1u, 2u, 8u, 33u}) {
    add(cases, name("global/semaphore/ascending.blocks=", blocks), run_turns, blocks, false);
  }
  // A block that waits for a later one needs it to be there already: few blocks, then.
  for (const unsigned blocks : {2u, 4u, 8u}) {
    add(cases, name("global/semaphore/descending.blocks=", blocks), run_turns, blocks, true);
  }
  for (const unsigned blocks : {1u, 7u, 40u}) {
    add(cases, name("global/semaphore.add/blocks=", blocks), run_last, blocks);
  }
  const char* const signals[] = {"early", "late", "never"};
  for (const int i : {0, 1, 2}) {
    for (const int grids : {1, 2, 5}) {
      const std::string how = name(signals[i], ".grids=", grids);
      add(cases, "grid/in_turn/" + how, run_chain, Signal{i}, false, grids);
      add(cases, "grid/programmatic/" + how, run_chain, Signal{i}, true, grids);
    }
  }
  add(cases, "grid/clock/three_readings", run_clocks);
});

}  // namespace intrinsics::global
