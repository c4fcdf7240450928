// Threads of a block among themselves: who is who, an elected lane, named barriers, registers
// handed over between warpgroups (PTX ISA, "elect.sync", "barrier", "setmaxnreg").

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>

#include <string>

namespace words {

namespace sync {

// --- Places
// --------------------------------------------------------------------------------------------

constexpr int kThreads = 384;

__global__ void places(std::uint32_t* out) {
  out[2 * threadIdx.x] = static_cast<std::uint32_t>(gpu::warpgroup_index());
  out[2 * threadIdx.x + 1] = static_cast<std::uint32_t>(gpu::warp_in_warpgroup());
}

Outcome run_places() {
  const DeviceArray<std::uint32_t> out(2 * kThreads);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    expected.push_back(thread / 128);
    expected.push_back(thread / 32 % 4);
  }
  run(places, {.grid = dim3(1), .block = dim3(kThreads)}, out.data());
  return {out.values(), expected};
}

// --- Election
// -------------------------------------------------------------------------------------------

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
Outcome run_elect(unsigned warps) {
  const int count = 4;
  const DeviceArray<std::uint32_t> out(32 * count);
  run(elect, {.grid = dim3(1), .block = dim3(32 * count)}, warps, out.data());
  const std::vector<std::uint32_t> elected = out.values();
  Outcome outcome{{static_cast<std::uint32_t>(count)}, {4}};
  for (int warp = 0; warp < count; ++warp) {
    std::uint32_t first = 0, second = 0, both = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const std::uint32_t value = elected[warp * 32 + lane];
      first += value & 1;
      second += value >> 1 & 1;
      both += value == 3;
    }
    outcome.got.insert(outcome.got.end(), {first, second, both});
    outcome.expected.insert(outcome.expected.end(), 3, warps >> warp & 1);
  }
  return outcome;
}

// --- Named barriers
// ---------------------------------------------------------------------------------------

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

Outcome run_circles(const std::string& name, int first_id, int second_id) {
  const int rounds = 5;
  const std::vector<std::uint32_t> values = Random(name).words(160);
  std::vector<std::uint32_t> expected = values;
  for (const bool first : {true, false}) {
    const int base = first ? 0 : 64, count = first ? 64 : 96;
    for (int round = 0; round < (first ? rounds : 2 * rounds); ++round) {
      const std::vector<std::uint32_t> before = expected;
      for (int i = 0; i < count; ++i) {
        expected[base + i] = before[base + (i + 41) % count] * 5 + 1;
      }
    }
  }
  const DeviceArray<std::uint32_t> d_values(values), out(160);
  run(two_circles, {.grid = dim3(1), .block = dim3(160)}, d_values.data(), first_id, second_id,
      rounds, out.data());
  return {out.values(), expected};
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

Outcome run_hand_over(const std::string& name, int full, int empty, int rounds) {
  const std::vector<std::uint32_t> values =
      Random(name).words(static_cast<std::size_t>(rounds * 64));
  std::vector<std::uint32_t> expected(values.size());
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 64; ++i) {
      expected[round * 64 + i] = values[round * 64 + (i + 11 * round) % 64];
    }
  }
  const DeviceArray<std::uint32_t> d_values(values), out(expected.size());
  run(hand_over, {.grid = dim3(1), .block = dim3(128)}, d_values.data(), full, empty, rounds,
      out.data());
  return {out.values(), expected};
}

// --- Registers
// ---------------------------------------------------------------------------------------------

constexpr int kHeld = 160;  // values in registers at once: more than a thread begins with

// One warpgroup gives registers away, two take them and fill them.
__global__ void __launch_bounds__(kThreads, 1)
    share_registers(const std::uint32_t* values, std::uint32_t* out) {
  const int thread = static_cast<int>(threadIdx.x);
  if (gpu::warpgroup_index() == 0) {
    gpu::shrink_registers<24>();
    std::uint32_t sum = 0;
    for (int i = 0; i < kHeld; ++i) sum = sum * 7 + values[(thread + i) % kThreads];
    out[thread] = sum;
  } else {
    gpu::grow_registers<240>();
    std::uint32_t held[kHeld];
#pragma unroll
    for (int i = 0; i < kHeld; ++i) held[i] = values[(thread + i) % kThreads];
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
#pragma unroll
      for (int i = 0; i < kHeld; ++i) held[i] = held[i] * 3 + held[(i + 1) % kHeld];
    }
    std::uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < kHeld; ++i) sum = sum * 7 + held[i];
    out[thread] = sum;
  }
}

Outcome run_registers(const std::string& name) {
  const std::vector<std::uint32_t> values = Random(name).words(kThreads);
  std::vector<std::uint32_t> expected;
  for (int thread = 0; thread < kThreads; ++thread) {
    std::vector<std::uint32_t> held;
    for (int i = 0; i < kHeld; ++i) held.push_back(values[(thread + i) % kThreads]);
    for (int round = 0; round < 3 && thread >= 128; ++round) {
      for (int i = 0; i < kHeld; ++i) held[i] = held[i] * 3 + held[(i + 1) % kHeld];
    }
    std::uint32_t sum = 0;
    for (const std::uint32_t value : held) sum = sum * 7 + value;
    expected.push_back(sum);
  }
  const DeviceArray<std::uint32_t> d_values(values), out(kThreads);
  run(share_registers, {.grid = dim3(1), .block = dim3(kThreads)}, d_values.data(), out.data());
  return {out.values(), expected};
}

}  // namespace sync

Cases sync_cases() {
  using namespace sync;
  Cases cases;
  cases.push_back({"sync/place/three_warpgroups", run_places});
  for (const unsigned warps : {1u, 4u, 10u, 15u}) {
    cases.push_back(
        {"sync/elect/warps=" + std::to_string(warps), [=] { return run_elect(warps); }});
  }
  const std::pair<int, int> ids[] = {{1, 2},   {3, 4},   {5, 6},  {7, 8}, {9, 10},
                                     {11, 12}, {13, 14}, {15, 1}, {0, 15}};
  for (const auto& [first, second] : ids) {
    const std::string suffix = "/ids=" + std::to_string(first) + "," + std::to_string(second);
    const std::string sync = "sync/barrier.sync" + suffix, arrive = "sync/barrier.arrive" + suffix;
    cases.push_back({sync, [=, a = first, b = second] { return run_circles(sync, a, b); }});
    for (const int rounds : {1, 6}) {
      const std::string name = arrive + ".rounds=" + std::to_string(rounds);
      cases.push_back(
          {name, [=, a = first, b = second] { return run_hand_over(name, a, b, rounds); }});
    }
  }
  const std::string registers = "sync/setmaxnreg/24.240";
  cases.push_back({registers, [=] { return run_registers(registers); }});
  return cases;
}

}  // namespace words
