// Threads of a block among themselves: who is who, an elected lane, named barriers, registers
// handed over between warpgroups (PTX ISA, "elect.sync", "barrier", "setmaxnreg").

#include "device.hpp"

namespace intrinsics::sync {

constexpr unsigned kThreads = 384;

__global__ void places(std::uint32_t* out) {
  out[2 * threadIdx.x] = static_cast<std::uint32_t>(gpu::warpgroup_index());
  out[2 * threadIdx.x + 1] = static_cast<std::uint32_t>(gpu::warp_in_warpgroup());
}

Outcome run_places(Random&) {
  return check(places, grid(1, kThreads), made(2 * kThreads, [](unsigned i) {
                 return i % 2 == 0 ? i / 2 / 128 : i / 2 / 32 % 4;
               }));
}

// Warps in `warps` elect, twice.
__global__ void elect(unsigned warps, std::uint32_t* out) {
  std::uint32_t elected = 0;
  if ((warps >> gpu::warp_index() & 1) != 0) {
    if (gpu::elect_one()) elected += 1;
    gpu::sync_warp();
    if (gpu::elect_one()) elected += 2;
  }
  out[threadIdx.x] = elected;
}

// Which lane it is, PTX leaves open; that there is one and that it stays the same, it does not. Of
// each warp: lanes elected the first time, the second time, and both times.
Outcome run_elect(Random&, unsigned warps) {
  constexpr unsigned kWarps = 4;
  const Words elected = check(elect, grid(1, 32 * kWarps), Words(32 * kWarps), warps).got;
  Words counts(1 + 3 * kWarps), expected(1, kWarps);
  counts[0] = kWarps;
  for (unsigned i = 0; i < 3 * kWarps; ++i) {
    const auto first = elected.begin() + 32 * (i / 3);
    const unsigned bits = i % 3 + 1;  // 1, 2, and 3: both
    counts[1 + i] = static_cast<unsigned>(
        std::count_if(first, first + 32, [=](unsigned lane) { return (lane & bits) == bits; }));
    expected.push_back(warps >> i / 3 & 1);
  }
  return {counts, expected};
}

struct Values {
  std::uint32_t value[160];
};

// The first two warps and the other three go round in circles of their own, each by its own
// barrier.
__global__ void two_circles(const std::uint32_t* values, int first_id, int second_id, int rounds,
                            std::uint32_t* out) {
  auto& smem = gpu::static_smem<Values>();
  const int thread = static_cast<int>(threadIdx.x);
  const bool first = thread < 64;
  const int id = first ? first_id : second_id, base = first ? 0 : 64, count = first ? 64 : 96;
  smem.value[thread] = values[thread];
  for (int round = 0; round < (first ? rounds : 2 * rounds); ++round) {
    gpu::barrier_sync(id, count);
    const std::uint32_t next = smem.value[base + (thread - base + 41) % count];
    gpu::barrier_sync(id, count);
    smem.value[thread] = next * 5 + 1;
  }
  out[thread] = smem.value[thread];
}

Outcome run_circles(Random& random, int first_id, int second_id) {
  const int rounds = 5;
  const Words values = random.words(160);
  const auto after = [&](unsigned base, unsigned count, int times) {
    Words circle(values.begin() + base, values.begin() + base + count);
    for (int round = 0; round < times; ++round) {
      const Words before = circle;
      circle = made(count, [&](unsigned i) { return before[(i + 41) % count] * 5 + 1; });
    }
    return circle;
  };
  Words expected = after(0, 64, rounds);
  append(expected, after(64, 96, 2 * rounds));
  return check(two_circles, grid(1, 160), expected, values, first_id, second_id, rounds);
}

// Two warps write, two read; those who need not wait only arrive.
__global__ void hand_over(const std::uint32_t* values, int full, int empty, int rounds,
                          std::uint32_t* out) {
  auto& smem = gpu::static_smem<Values>();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < 64) {
    for (int round = 0; round < rounds; ++round) {
      gpu::barrier_sync(empty, 128);
      smem.value[thread] = values[round * 64 + thread];
      gpu::barrier_arrive(full, 128);
    }
  } else {
    gpu::barrier_arrive(empty, 128);
    for (int round = 0; round < rounds; ++round) {
      gpu::barrier_sync(full, 128);
      out[round * 64 + thread - 64] = smem.value[(thread + 11 * round) % 64];
      if (round + 1 < rounds) gpu::barrier_arrive(empty, 128);
    }
  }
}

Outcome run_hand_over(Random& random, int full, int empty, int rounds) {
  const Words values = random.words(static_cast<std::size_t>(rounds * 64));
  const Words expected = made(
      values.size(), [&](unsigned i) { return values[i / 64 * 64 + (i + 11 * (i / 64)) % 64]; });
  return check(hand_over, grid(1, 128), expected, values, full, empty, rounds);
}

constexpr unsigned kHeld = 160;  // values in registers at once: more than a thread begins with

// One warpgroup gives registers away, two take them and fill them.
__global__ void __launch_bounds__(kThreads, 1)
    share_registers(const std::uint32_t* values, std::uint32_t* out) {
  std::uint32_t sum = 0;
  if (gpu::warpgroup_index() == 0) {
    gpu::shrink_registers<24>();
    for (unsigned i = 0; i < kHeld; ++i) sum = sum * 7 + values[(threadIdx.x + i) % kThreads];
  } else {
    gpu::grow_registers<240>();
    std::uint32_t held[kHeld];
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i) held[i] = values[(threadIdx.x + i) % kThreads];
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
#pragma unroll
      for (unsigned i = 0; i < kHeld; ++i) held[i] = held[i] * 3 + held[(i + 1) % kHeld];
    }
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i) sum = sum * 7 + held[i];
  }
  out[threadIdx.x] = sum;
}

Outcome run_registers(Random& random) {
  const Words values = random.words(kThreads);
  const Words expected = made(kThreads, [&](unsigned thread) {
    Words held = made(kHeld, [&](unsigned i) { return values[(thread + i) % kThreads]; });
    for (int round = 0; round < 3 && thread >= 128; ++round) {
      for (unsigned i = 0; i < kHeld; ++i) held[i] = held[i] * 3 + held[(i + 1) % kHeld];
    }
    std::uint32_t sum = 0;
    for (const std::uint32_t value : held) sum = sum * 7 + value;
    return sum;
  });
  return check(share_registers, grid(1, kThreads), expected, values);
}

const Register kCases([](Cases& cases) {
  add(cases, "sync/place/three_warpgroups", run_places);
  for (const unsigned warps : {1u, 4u, 10u, 15u}) {
    add(cases, name("sync/elect/warps=", warps), run_elect, warps);
  }
  const std::pair<int, int> ids[] = {{1, 2},   {3, 4},   {5, 6},  {7, 8}, {9, 10},
                                     {11, 12}, {13, 14}, {15, 1}, {0, 15}};
  for (const auto& [a, b] : ids) {
    const std::string both = name("/ids=", a, ",", b);
    add(cases, "sync/barrier.sync" + both, run_circles, a, b);
    for (const int rounds : {1, 6}) {
      add(cases, name("sync/barrier.arrive", both, ".rounds=", rounds), run_hand_over, a, b,
          rounds);
    }
  }
  add(cases, "sync/setmaxnreg/24.240", run_registers);
});

}  // namespace intrinsics::sync
