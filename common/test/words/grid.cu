// Grids one after the other, and clocks (PTX ISA, "griddepcontrol", "%clock64", "%globaltimer",
// "%smid").

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/clock.hpp>
#include <gpu/grid.hpp>

#include <string>

namespace words {

namespace grid {

constexpr int kThreads = 128;
constexpr int kBlocks = 40;
constexpr int kCount = kBlocks * kThreads;

// When a grid lets the next one start: before its work, after it, or by ending.
enum class Signal { kEarly, kLate, kNever };

// Each number comes from another block's of the grid before.
__global__ void next(const std::uint32_t* before, Signal signal, std::uint32_t* after) {
  if (signal == Signal::kEarly) gpu::launch_dependents();
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  std::uint32_t sum = i;  // what needs nothing of the grid before
  for (int j = 0; j < 100; ++j) sum = sum * 3 + 1;
  gpu::wait_for_prior_grid();
  for (unsigned j = 0; j < 4; ++j) sum += before[(i * 7 + j * (kCount / 4) + 1) % kCount];
  after[i] = sum;
  if (signal == Signal::kLate) gpu::launch_dependents();
}

Outcome run_chain(const std::string& name, Signal signal, bool programmatic, int grids) {
  std::vector<std::uint32_t> expected = Random(name).words(kCount);
  const DeviceArray<std::uint32_t> first(expected), second(kCount);
  for (int grid = 0; grid < grids; ++grid) {
    const std::vector<std::uint32_t> before = expected;
    for (unsigned i = 0; i < kCount; ++i) {
      std::uint32_t sum = i;
      for (int j = 0; j < 100; ++j) sum = sum * 3 + 1;
      for (unsigned j = 0; j < 4; ++j) sum += before[(i * 7 + j * (kCount / 4) + 1) % kCount];
      expected[i] = sum;
    }
  }
  gpu::LaunchShape shape{.grid = dim3(kBlocks), .block = dim3(kThreads)};
  for (int grid = 0; grid < grids; ++grid) {
    const bool even = grid % 2 == 0;
    shape.programmatic = programmatic && grid > 0;
    gpu::launch(next, shape, nullptr, even ? first.data() : second.data(), signal,
                even ? second.data() : first.data());
  }
  gpu::synchronize();
  return {grids % 2 == 0 ? first.values() : second.values(), expected};
}

struct Times {
  std::uint64_t cycles[3];
  std::uint64_t nanoseconds[3];
  int sm;
};

__global__ void read_clocks(Times* out, float* sink) {
  Times times;
  float work = static_cast<float>(threadIdx.x);
  for (int i = 0; i < 3; ++i) {
    times.cycles[i] = gpu::clock_cycles();
    times.nanoseconds[i] = gpu::clock_nanoseconds();
    for (int j = 0; j < 1000; ++j) work = work * 0.5f + 1.0f;
    __syncthreads();
  }
  times.sm = gpu::sm_index();
  sink[blockIdx.x * kThreads + threadIdx.x] = work;
  if (threadIdx.x == 0) out[blockIdx.x] = times;
}

// Neither runs backwards, the cycles do run, and the multiprocessor is one that exists.
Outcome run_clocks() {
  const DeviceArray<Times> out(kBlocks);
  const DeviceArray<float> sink(kCount);
  run(read_clocks, {.grid = dim3(kBlocks), .block = dim3(kThreads)}, out.data(), sink.data());
  Outcome outcome;
  for (const Times& times : out.values()) {
    const auto [a, b, c] = times.cycles;
    const auto [d, e, f] = times.nanoseconds;
    outcome.got.insert(outcome.got.end(), {a <= b && b <= c && a < c, d <= e && e <= f,
                                           times.sm >= 0 && times.sm < gpu::sm_count(), 0});
    outcome.expected.insert(outcome.expected.end(), {1, 1, 1, 0});
  }
  return outcome;
}

}  // namespace grid

Cases grid_cases() {
  using namespace grid;
  Cases cases;
  const std::pair<const char*, Signal> signals[] = {
      {"early", Signal::kEarly}, {"late", Signal::kLate}, {"never", Signal::kNever}};
  for (const auto& [word, signal] : signals) {
    for (const bool programmatic : {false, true}) {
      for (const int grids : {1, 2, 5}) {
        const std::string name = std::string("grid/") +
                                 (programmatic ? "programmatic/" : "in_turn/") + word +
                                 ".grids=" + std::to_string(grids);
        cases.push_back(
            {name, [=, when = signal] { return run_chain(name, when, programmatic, grids); }});
      }
    }
  }
  cases.push_back({"grid/clock/three_readings", run_clocks});
  return cases;
}

}  // namespace words
