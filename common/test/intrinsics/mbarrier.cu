// mbarriers within a block: phases, parities, tokens, expected bytes (PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier").

#include "device.hpp"

namespace intrinsics::mbarrier {

constexpr int kThreads = 128;

struct Shared {
  gpu::Mbarrier full, empty;
  std::uint32_t value[kThreads];
};

// The first `producers` threads fill a buffer, everybody reads it, round after round.
__global__ void relay(const std::uint32_t* values, int producers, int rounds, gpu::Scope scope,
                      std::uint32_t* out) {
  auto& smem = gpu::static_smem<Shared>();
  const int thread = static_cast<int>(threadIdx.x);
  init(smem.full, static_cast<unsigned>(producers));
  init(smem.empty, kThreads);
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    const unsigned phase = static_cast<unsigned>(round) & 1;
    if (thread < producers) {
      smem.empty.wait(phase ^ 1, scope);  // passes at once in the first round
      smem.value[thread] = values[round * kThreads + thread];
      smem.full.arrive(scope);
    }
    smem.full.wait(phase, scope);
    out[round * kThreads + thread] = smem.value[(thread + round) % producers] ^ threadIdx.x;
    smem.empty.arrive(scope);
  }
}

// A barrier for all threads by token: what was written before is there behind it. Some threads
// arrive by arrive_and_expect() of no bytes.
__global__ void swap_by_token(const std::uint32_t* values, int, int rounds, gpu::Scope,
                              std::uint32_t* out) {
  auto& smem = gpu::static_smem<Shared>();
  const int thread = static_cast<int>(threadIdx.x);
  init(smem.full, kThreads);
  init(smem.empty, kThreads);
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    smem.value[thread] = values[round * kThreads + thread];
    smem.full.wait_token(thread % 5 == round ? smem.full.arrive_and_expect(0) : smem.full.arrive());
    out[round * kThreads + thread] = smem.value[(thread + 37) % kThreads];
    smem.empty.wait_token(smem.empty.arrive());
  }
}

// `producers`: none where everybody is one.
Outcome run_rounds(Random& random, decltype(&relay) kernel, int producers, int rounds,
                   gpu::Scope scope) {
  const Words values = random.words(static_cast<std::size_t>(rounds * kThreads));
  const Words expected = made(values.size(), [&](unsigned i) {
    const unsigned round = i / kThreads, thread = i % kThreads, first = round * kThreads;
    if (producers == 0) return values[first + (thread + 37) % kThreads];
    return values[first + (thread + round) % static_cast<unsigned>(producers)] ^ thread;
  });
  return check(kernel, grid(1, kThreads), expected, values, producers, rounds, scope);
}

// Waits that must pass without anybody's help: wrong ones would hang.
__global__ void passing_waits(std::uint32_t* out) {
  gpu::Mbarrier& barrier = gpu::static_smem<Shared>().full;
  init(barrier, 2);
  __syncthreads();
  barrier.wait(1);  // phase 0 is under way: the phase before it counts as complete
  barrier.wait(1);
  out[threadIdx.x] = 1000 + threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 2) barrier.arrive();
  barrier.wait(0);
  __syncthreads();
  barrier.wait(0);  // still the latest complete phase
  __syncthreads();
  if (threadIdx.x == 7) {
    barrier.arrive();
    barrier.arrive();
  }
  barrier.wait(1);
  out[kThreads + threadIdx.x] = 2000 + threadIdx.x;
}

// One place, initialised for another number of arrivals each time.
__global__ void init_again(std::uint32_t* out) {
  gpu::Mbarrier& barrier = gpu::static_smem<Shared>().full;
  for (unsigned use = 0; use < 4; ++use) {
    const unsigned arrivals = 1 + 31 * use;
    init(barrier, arrivals);
    __syncthreads();
    if (threadIdx.x < arrivals) barrier.arrive();
    barrier.wait(0);
    out[use * kThreads + threadIdx.x] = 1000 * (use + 1) + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) barrier.invalidate();
    __syncthreads();
  }
}

Outcome run_marks(Random&, void (*kernel)(std::uint32_t*), int rounds) {
  return check(kernel, grid(1, kThreads), marks(rounds, 1, kThreads));
}

// Bytes by TMA. The tensor has rows of 32 words; a box is a row.
constexpr int kRowWords = 32;
constexpr unsigned kRowBytes = 4 * kRowWords;
constexpr int kStages = 3;

struct Ring {
  gpu::Mbarrier full[kStages], empty[kStages];
  alignas(128) std::uint32_t row[kStages][kRowWords];
};

template <class Kernel, class... Args>
Outcome check_rows(Kernel kernel, const Words& data, const Words& expected, const Args&... args) {
  const DeviceArray<std::uint32_t> tensor(data);
  const gpu::TensorMap map = map_of_rows<float>(
      tensor.data(), kRowWords, static_cast<unsigned>(data.size()) / kRowWords, kRowWords, 1);
  return check(kernel, grid(1, kThreads, sizeof(Ring)), expected, map, args...);
}

enum class Expect {
  kOnce,        // one arrival that expects both rows
  kSeparate,    // two threads expect a row each, then one arrives
  kAfterwards,  // the loads are issued before their bytes are expected
  kEach         // two arrivals, each with its row
};

// Rows 2 and 5.
__global__ void two_rows(const __grid_constant__ gpu::TensorMap map, Expect order,
                         std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Ring>();
  gpu::Mbarrier& full = smem.full[0];
  const int thread = static_cast<int>(threadIdx.x);
  const bool loads = thread == 0 || thread == 32;  // a row each
  init(full, order == Expect::kEach ? 2 : 1);
  __syncthreads();
  if (thread == 0 && order == Expect::kOnce) full.arrive_and_expect(2 * kRowBytes);
  if (loads && order == Expect::kSeparate) full.expect(kRowBytes);
  if (loads && order == Expect::kEach) full.arrive_and_expect(kRowBytes);
  __syncthreads();
  if (loads) gpu::tma_load(smem.row[thread / 32], map, {0, thread == 0 ? 2 : 5}, full);
  __syncthreads();
  if (thread == 0 && order == Expect::kSeparate) full.arrive();
  if (thread == 0 && order == Expect::kAfterwards) full.arrive_and_expect(2 * kRowBytes);
  full.wait(0);
  if (thread < 2 * kRowWords) out[thread] = smem.row[thread / kRowWords][thread % kRowWords];
}

Outcome run_two_rows(Random& random, Expect order) {
  const Words data = random.words(8 * kRowWords);
  return check_rows(two_rows, data,
                    made(2 * kRowWords,
                         [&](unsigned i) { return data[(i < kRowWords ? 2 : 4) * kRowWords + i]; }),
                    order);
}

// A producer and its consumers around a ring of stages, several times. ahead: they look whether the
// next stage is full beside what they do, and one thread of each warp says that a stage is empty.
__global__ void ring(const __grid_constant__ gpu::TensorMap map, int steps, gpu::Scope scope,
                     bool ahead, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Ring>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int stage = 0; stage < kStages; ++stage) {
    init(smem.full[stage], 1);
    init(smem.empty[stage], 3);  // one per consumer warp
  }
  __syncthreads();
  if (thread == 0) {
    for (int step = 0; step < steps; ++step) {
      const int stage = step % kStages;
      smem.empty[stage].wait((static_cast<unsigned>(step / kStages) & 1) ^ 1, scope);
      smem.full[stage].arrive_and_expect(kRowBytes, scope);
      gpu::tma_load(smem.row[stage], map, {0, step}, smem.full[stage]);
    }
  } else if (thread >= 32) {
    const int warp = thread / 32 - 1, lane = thread % 32;
    bool full = false;
    for (int step = 0; step < steps; ++step) {
      const int stage = step % kStages, next = (step + 1) % kStages;
      const auto parity = [](int step) { return static_cast<unsigned>(step / kStages) & 1; };
      ahead ? smem.full[stage].wait_unless(full, parity(step))
            : smem.full[stage].wait(parity(step), scope);
      out[(step * 3 + warp) * kRowWords + lane] = smem.row[stage][(lane + warp) % kRowWords];
      full = ahead && smem.full[next].test(parity(step + 1));
      gpu::sync_warp();
      if (ahead) {
        smem.empty[stage].arrive_if(lane == 0);
      } else if (lane == 0) {
        smem.empty[stage].arrive(scope);
      }
    }
  }
}

Outcome run_ring(Random& random, int steps, gpu::Scope scope, bool ahead) {
  const Words data = random.words(static_cast<std::size_t>(steps * kRowWords));
  const Words expected = made(3 * data.size(), [&](unsigned i) {
    const unsigned warp = i / kRowWords % 3, step = i / kRowWords / 3;
    return data[step * kRowWords + (i + warp) % kRowWords];
  });
  return check_rows(ring, data, expected, steps, scope, ahead);
}

const Register kCases([](Cases& cases) {
  using enum gpu::Scope;
  for (const gpu::Scope scope : {kBlock, kCluster}) {
    const char* form = scope == kBlock ? "" : ".cluster";
    for (const int producers : {1, 2, 5, 31, 32, 33, 128}) {
      for (const int rounds : {1, 2, 7}) {
        add(cases, name("mbarrier/arrive", form, "/producers=", producers, ".rounds=", rounds),
            run_rounds, relay, producers, rounds, scope);
      }
    }
    for (const int steps : {1, 3, 4, 11}) {
      add(cases, name("mbarrier/ring", form, "/steps=", steps), run_ring, steps, scope, false);
    }
  }
  for (const int steps : {1, 3, 4, 11}) {
    add(cases, name("mbarrier/ring.ahead/steps=", steps), run_ring, steps, kBlock, true);
  }
  for (const int rounds : {1, 2, 5}) {
    add(cases, name("mbarrier/token/rounds=", rounds), run_rounds, swap_by_token, 0, rounds,
        kBlock);
  }
  add(cases, "mbarrier/parity/passing", run_marks, passing_waits, 2);
  add(cases, "mbarrier/inval/init_again", run_marks, init_again, 4);
  const char* const orders[] = {"once", "separate", "afterwards", "each"};
  for (const int order : {0, 1, 2, 3}) {
    add(cases, name("mbarrier/expect_tx/", orders[order]), run_two_rows, Expect{order});
  }
});

}  // namespace intrinsics::mbarrier
