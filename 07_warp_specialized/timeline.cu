// `--variant timeline`: one block of the kernel with its notes switched on, printed as JSON for
// plots/timeline.py.

#include "plan.cuh"

#include <harness/backend.hpp>
#include <harness/chapter.hpp>
#include <harness/device_problem.hpp>

#include <core/error.hpp>
#include <gemm/inputs.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace warp_specialized;

struct Watched : Ways {
  static constexpr bool kTimeline = true;
};
using WatchedConfig = Config<Tiles<128, 256, 64, 4, 2>, Watched>;

const char* name(Event event) {
  switch (event) {
    case Event::kWaitEmpty:
      return "wait_empty";
    case Event::kLoad:
      return "load";
    case Event::kWaitFull:
      return "wait_full";
    case Event::kMultiply:
      return "multiply";
    case Event::kStore:
      return "store";
  }
  return "unknown";
}

void print_role(const char* role, const Recorder::Note* notes, std::uint64_t start,
                const char* separator) {
  std::printf("    {\"role\": \"%s\", \"notes\": [", role);
  for (std::uint32_t i = 0; i < notes->count; ++i) {
    const auto since = [&](std::uint64_t time) {
      return static_cast<unsigned long long>(time - start);
    };
    std::printf("%s[\"%s\", %llu, %llu]", i == 0 ? "" : ", ", name(notes[i].event),
                since(notes[i].begin), since(notes[i].end));
  }
  std::printf("]}%s\n", separator);
}

// A GPU is kept busy as a whole; the CPU backend runs two blocks, which is enough to see the roles.
int run() {
  const harness::Device device = harness::backend::device();
  const bool is_gpu = device.compute_capability.has_value();
  const int m = is_gpu ? 4096 : 256, n = is_gpu ? 4096 : 512, k = 1024;

  const gemm::HostOperands host = gemm::make_operands(
      gemm::packed_problem(m, n, k, gemm::DataType::kBf16), gemm::Values::kUniform, 1);
  harness::DeviceProblem problem(host);
  std::vector<Recorder::Note> notes(Recorder::kRoles * Recorder::kCapacity);
  const std::size_t bytes = notes.size() * sizeof(Recorder::Note);
  const harness::DeviceMemory memory(bytes);

  auto plan = prepare<core::bf16, WatchedConfig>(operands<core::bf16>(problem.problem()));
  plan.timeline.notes = reinterpret_cast<Recorder::Note*>(memory.data());
  if (!is_gpu) plan.shape.grid = dim3(2);
  for (int i = 0; i < 2; ++i) {  // the first run finds cold caches, the second is shown
    plan.run(nullptr);
    gpu::synchronize();
  }
  gpu::copy_to_host(notes.data(), memory.data(), bytes);

  const auto role = [&](int i) { return notes.data() + i * Recorder::kCapacity; };
  const std::uint64_t start = std::min({role(0)->begin, role(1)->begin, role(2)->begin});
  std::printf("{\n  \"chapter\": \"%s\", \"device\": \"%s\", \"commit\": \"%s\",\n", kName,
              device.name.c_str(), harness::commit());
  std::printf("  \"shape\": \"%dx%dx%d\", \"k_tiles\": %d, \"unit\": \"%s\",\n", m, n, k,
              plan.k_tiles, is_gpu ? "cycles" : "steps");
  std::printf("  \"roles\": [\n");
  print_role("producer", role(0), start, ",");
  print_role("consumer 0", role(1), start, ",");
  print_role("consumer 1", role(2), start, "");
  std::printf("  ]\n}\n");
  return core::kRight;
}

const harness::Registration registration(harness::Demonstration{
    .chapter = kName,
    .name = "timeline",
    .summary = "when one block waits, loads, multiplies and stores, as JSON for plots/timeline.py",
    .run = run,
});

}  // namespace
