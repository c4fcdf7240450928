// mbarriers within a block: phases, parities, tokens, expected bytes (PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier").

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/mbarrier.hpp>
#include <gpu/shared.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

#include <string>

namespace words {

namespace mbarrier {

constexpr int kThreads = 128;
constexpr std::uint32_t kMark = 1000;

// The first `producers` threads fill a buffer, everybody reads it, round after round.
struct Relay {
  gpu::Mbarrier full, empty;
  std::uint32_t value[kThreads];
};

template <gpu::Scope kScope>
__global__ void relay(const std::uint32_t* values, int producers, int rounds, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Relay>();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    smem.full.init(static_cast<unsigned>(producers));
    smem.empty.init(kThreads);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    const unsigned phase = static_cast<unsigned>(round) & 1;
    if (thread < producers) {
      smem.empty.wait(phase ^ 1, kScope);  // passes at once in the first round
      smem.value[thread] = values[round * kThreads + thread];
      smem.full.arrive(kScope);
    }
    smem.full.wait(phase, kScope);
    out[round * kThreads + thread] = smem.value[(thread + round) % producers] ^ threadIdx.x;
    smem.empty.arrive(kScope);
  }
}

template <gpu::Scope kScope>
Outcome run_relay(const std::string& name, int producers, int rounds) {
  const std::vector<std::uint32_t> values =
      Random(name).words(static_cast<std::size_t>(rounds * kThreads));
  std::vector<std::uint32_t> expected(values.size());
  for (int round = 0; round < rounds; ++round) {
    for (int t = 0; t < kThreads; ++t) {
      expected[round * kThreads + t] =
          values[round * kThreads + (t + round) % producers] ^ static_cast<std::uint32_t>(t);
    }
  }
  const DeviceArray<std::uint32_t> d_values(values), out(expected.size());
  run(relay<kScope>, {.grid = dim3(1), .block = dim3(kThreads)}, d_values.data(), producers, rounds,
      out.data());
  return {out.values(), expected};
}

// A barrier for all threads by token: what was written before is there behind it. Some threads
// arrive by arrive_and_expect() of no bytes.
struct Swap {
  gpu::Mbarrier written, read;
  std::uint32_t value[kThreads];
};

__global__ void swap_by_token(const std::uint32_t* values, int rounds, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Swap>();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    smem.written.init(kThreads);
    smem.read.init(kThreads);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    smem.value[thread] = values[round * kThreads + thread];
    const gpu::Mbarrier::Token written =
        thread % 5 == round ? smem.written.arrive_and_expect(0) : smem.written.arrive();
    smem.written.wait_token(written);
    out[round * kThreads + thread] = smem.value[(thread + 37) % kThreads];
    const gpu::Mbarrier::Token read = smem.read.arrive();
    smem.read.wait_token(read);
  }
}

Outcome run_swap(const std::string& name, int rounds) {
  const std::vector<std::uint32_t> values =
      Random(name).words(static_cast<std::size_t>(rounds * kThreads));
  std::vector<std::uint32_t> expected(values.size());
  for (int round = 0; round < rounds; ++round) {
    for (int t = 0; t < kThreads; ++t) {
      expected[round * kThreads + t] = values[round * kThreads + (t + 37) % kThreads];
    }
  }
  const DeviceArray<std::uint32_t> d_values(values), out(expected.size());
  run(swap_by_token, {.grid = dim3(1), .block = dim3(kThreads)}, d_values.data(), rounds,
      out.data());
  return {out.values(), expected};
}

// Waits that must pass without anybody's help: wrong ones would hang.
struct OneBarrier {
  gpu::Mbarrier barrier;
};

__global__ void passing_waits(std::uint32_t* out) {
  gpu::Mbarrier& barrier = gpu::static_smem<OneBarrier>().barrier;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    barrier.init(2);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  barrier.wait(1);  // phase 0 is under way: the phase before it counts as complete
  barrier.wait(1);
  out[thread] = kMark + static_cast<std::uint32_t>(thread);
  __syncthreads();
  if (thread < 2) barrier.arrive();
  barrier.wait(0);
  __syncthreads();
  barrier.wait(0);  // still the latest complete phase
  __syncthreads();
  if (thread == 7) {
    barrier.arrive();
    barrier.arrive();
  }
  barrier.wait(1);
  out[kThreads + thread] = 2 * kMark + static_cast<std::uint32_t>(thread);
}

// One place, initialised for another number of arrivals each time.
__global__ void init_again(std::uint32_t* out) {
  gpu::Mbarrier& barrier = gpu::static_smem<OneBarrier>().barrier;
  const int thread = static_cast<int>(threadIdx.x);
  for (int use = 0; use < 4; ++use) {
    const int arrivals = 1 + 31 * use;
    if (thread == 0) {
      barrier.init(static_cast<unsigned>(arrivals));
      gpu::fence_mbarrier_init();
    }
    __syncthreads();
    if (thread < arrivals) barrier.arrive();
    barrier.wait(0);
    out[use * kThreads + thread] = kMark * static_cast<std::uint32_t>(use + 1) + threadIdx.x;
    __syncthreads();
    if (thread == 0) barrier.invalidate();
    __syncthreads();
  }
}

Outcome run_marks(void (*kernel)(std::uint32_t*), int count) {
  const DeviceArray<std::uint32_t> out(static_cast<std::size_t>(count * kThreads));
  std::vector<std::uint32_t> expected;
  for (int i = 0; i < count * kThreads; ++i) {
    expected.push_back(kMark * static_cast<std::uint32_t>(i / kThreads + 1) +
                       static_cast<std::uint32_t>(i % kThreads));
  }
  run(kernel, {.grid = dim3(1), .block = dim3(kThreads)}, out.data());
  return {out.values(), expected};
}

// Bytes by TMA. The tensor has rows of 32 words; box i is row i.
constexpr int kRowWords = 32;
constexpr unsigned kRowBytes = 4 * kRowWords;

gpu::TensorMap map_of_rows(const std::uint32_t* data, int rows) {
  core::TensorMapShape shape;
  shape.size = {kRowWords, static_cast<std::uint64_t>(rows)};
  shape.stride_bytes = {4, kRowBytes};
  shape.box = {kRowWords, 1};
  return gpu::make_tensor_map(reinterpret_cast<const float*>(data), shape);
}

struct TwoRows {
  gpu::Mbarrier full;
  alignas(128) std::uint32_t row[2][kRowWords];
};

enum class Announce {
  kOnce,        // one arrival that announces both rows
  kSeparate,    // two threads announce a row each, then one arrives
  kAfterwards,  // the loads are issued before their bytes are announced
  kEach         // two arrivals, each with its row
};

__global__ void two_rows(const __grid_constant__ gpu::TensorMap map, Announce announce,
                         std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<TwoRows>();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    smem.full.init(announce == Announce::kEach ? 2 : 1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (announce == Announce::kSeparate) {
    if (thread == 0 || thread == 32) smem.full.expect(kRowBytes);
    __syncthreads();
  }
  if (thread == 0 && announce != Announce::kEach) {
    if (announce == Announce::kOnce) smem.full.arrive_and_expect(2 * kRowBytes);
    gpu::tma_load(smem.row[0], map, {0, 2}, smem.full);
    gpu::tma_load(smem.row[1], map, {0, 5}, smem.full);
    if (announce == Announce::kSeparate) smem.full.arrive();
    if (announce == Announce::kAfterwards) smem.full.arrive_and_expect(2 * kRowBytes);
  }
  if (thread % 32 == 0 && thread < 64 && announce == Announce::kEach) {
    smem.full.arrive_and_expect(kRowBytes);
    gpu::tma_load(smem.row[thread / 32], map, {0, thread == 0 ? 2 : 5}, smem.full);
  }
  smem.full.wait(0);
  if (thread < 2 * kRowWords) out[thread] = smem.row[thread / kRowWords][thread % kRowWords];
}

Outcome run_two_rows(const std::string& name, Announce announce) {
  const std::vector<std::uint32_t> data = Random(name).words(8 * kRowWords);
  const DeviceArray<std::uint32_t> tensor(data), out(2 * kRowWords);
  run(two_rows, {.grid = dim3(1), .block = dim3(kThreads), .dynamic_smem = sizeof(TwoRows)},
      map_of_rows(tensor.data(), 8), announce, out.data());
  std::vector<std::uint32_t> expected(data.begin() + 2 * kRowWords, data.begin() + 3 * kRowWords);
  expected.insert(expected.end(), data.begin() + 5 * kRowWords, data.begin() + 6 * kRowWords);
  return {out.values(), expected};
}

// A producer and its consumers around a ring of stages, several laps.
constexpr int kStages = 3;

struct Ring {
  gpu::Mbarrier full[kStages], empty[kStages];
  alignas(128) std::uint32_t row[kStages][kRowWords];
};

template <gpu::Scope kScope>
__global__ void ring(const __grid_constant__ gpu::TensorMap map, int steps, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Ring>();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      smem.full[stage].init(1);
      smem.empty[stage].init(3);  // one per consumer warp
    }
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (thread == 0) {
    for (int step = 0; step < steps; ++step) {
      const int stage = step % kStages;
      smem.empty[stage].wait((static_cast<unsigned>(step / kStages) & 1) ^ 1, kScope);
      smem.full[stage].arrive_and_expect(kRowBytes, kScope);
      gpu::tma_load(smem.row[stage], map, {0, step}, smem.full[stage]);
    }
  } else if (thread >= 32) {
    const int warp = thread / 32 - 1, lane = thread % 32;
    for (int step = 0; step < steps; ++step) {
      const int stage = step % kStages;
      smem.full[stage].wait(static_cast<unsigned>(step / kStages) & 1, kScope);
      out[(step * 3 + warp) * kRowWords + lane] = smem.row[stage][(lane + warp) % kRowWords];
      gpu::sync_warp();
      if (lane == 0) smem.empty[stage].arrive(kScope);
    }
  }
}

template <gpu::Scope kScope>
Outcome run_ring(const std::string& name, int steps) {
  const std::vector<std::uint32_t> data =
      Random(name).words(static_cast<std::size_t>(steps * kRowWords));
  std::vector<std::uint32_t> expected;
  for (int step = 0; step < steps; ++step) {
    for (int warp = 0; warp < 3; ++warp) {
      for (int lane = 0; lane < 32; ++lane) {
        expected.push_back(data[step * kRowWords + (lane + warp) % kRowWords]);
      }
    }
  }
  const DeviceArray<std::uint32_t> tensor(data), out(expected.size());
  run(ring<kScope>, {.grid = dim3(1), .block = dim3(kThreads), .dynamic_smem = sizeof(Ring)},
      map_of_rows(tensor.data(), steps), steps, out.data());
  return {out.values(), expected};
}

// `form`: what names of instructions end in.
template <gpu::Scope kScope>
void add_relays_and_rings(Cases& cases, const std::string& form) {
  for (const int producers : {1, 2, 5, 31, 32, 33, 128}) {
    for (const int rounds : {1, 2, 7}) {
      const std::string name = "mbarrier/arrive" + form +
                               "/producers=" + std::to_string(producers) +
                               ".rounds=" + std::to_string(rounds);
      cases.push_back({name, [=] { return run_relay<kScope>(name, producers, rounds); }});
    }
  }
  for (const int steps : {1, 3, 4, 11}) {
    const std::string name = "mbarrier/ring" + form + "/steps=" + std::to_string(steps);
    cases.push_back({name, [=] { return run_ring<kScope>(name, steps); }});
  }
}

}  // namespace mbarrier

Cases mbarrier_cases() {
  using namespace mbarrier;
  Cases cases;
  add_relays_and_rings<gpu::Scope::kBlock>(cases, "");
  add_relays_and_rings<gpu::Scope::kCluster>(cases, ".cluster");
  for (const int rounds : {1, 2, 5}) {
    const std::string name = "mbarrier/token/rounds=" + std::to_string(rounds);
    cases.push_back({name, [=] { return run_swap(name, rounds); }});
  }
  cases.push_back({"mbarrier/parity/passing", [] { return run_marks(passing_waits, 2); }});
  cases.push_back({"mbarrier/inval/init_again", [] { return run_marks(init_again, 4); }});
  const std::pair<const char*, Announce> ways[] = {{"once", Announce::kOnce},
                                                   {"separate", Announce::kSeparate},
                                                   {"afterwards", Announce::kAfterwards},
                                                   {"each", Announce::kEach}};
  for (const auto& [way, announce] : ways) {
    const std::string name = std::string("mbarrier/expect_tx/") + way;
    cases.push_back({name, [name, announce = announce] { return run_two_rows(name, announce); }});
  }
  return cases;
}

}  // namespace words
