// The contract where there is a GPU to ask more of: large shapes, graphs, offsets beyond 32 bits.

#include <test/every_variant.hpp>

#include <gemm/random.hpp>
#include <gemm/verify.hpp>
#include <harness/timing.hpp>

#include <core/error.hpp>

#include <deque>
#include <string>
#include <vector>

namespace {

using gemm::DataType;
using gemm::Problem;
using gemm::Values;
using test::Case;
using test::for_every_variant;
using test::Trial;

// Lines of a packed matrix, to or from places that lie so far apart that no 32-bit offset reaches
// the last.
void copy_lines(std::byte* device, std::int64_t step, gemm::Bytes& host, int lines,
                bool to_device) {
  const std::size_t bytes = host.size() / static_cast<std::size_t>(lines);
  for (int line = 0; line < lines; ++line) {
    std::byte* here = host.data() + static_cast<std::size_t>(line) * bytes;
    to_device ? gpu::copy_to_device(device + line * step, here, bytes)
              : gpu::copy_to_host(here, device + line * step, bytes);
  }
}

}  // namespace

TEST_CASE("large") {
  const auto [m, n, k] = GENERATE(table<int, int, int>({{1024, 1024, 1024},
                                                        {1000, 2056, 1528},
                                                        {65, 4097, 4104},
                                                        {128, 256, 16384},
                                                        {70000, 72, 64},
                                                        {127, 129, 72},
                                                        {72, 70000, 64}}));
  for (const DataType type : {DataType::kBf16, DataType::kFp16}) {
    const Values values = m == 1024 || k == 16384 ? Values::kUniform : Values::kIntegers;
    Case c = test::packed(m, n, k, type, values);
    c.repeat = m == 1024;
    test::try_all({c});
  }
}

TEST_CASE("a plan can be captured in a graph") {
  const harness::OwnStream stream;
  for_every_variant(0, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
    for (const std::int64_t k : {0, 136}) {
      Trial trial({.problem = gemm::packed_problem(200, 264, k, DataType::kBf16)});
      const harness::Plan plan = harness::prepare(chapter, variant, trial.problem());
      plan.run(stream);  // loads the kernel, which cannot be captured
      harness::TimedWork work({plan}, {.burst_ms = 0, .graph_below_ms = 1e9}, stream);
      REQUIRE(work.graph());
      for (int round = 0; round < 2; ++round) {
        trial.reset_c();
        gpu::synchronize();
        work.launch(1);
        gpu::synchronize();
        CHECK(trial.complaints() == std::vector<std::string>{});
      }
    }
  });
}

// What a barrier left in the wrong phase, or a block that leaves too early, would turn into a hang.
TEST_CASE("2000 launches back to back") {
  constexpr int kPlans = 40, kLaunches = 2000;
  std::deque<Trial> trials;
  for (std::uint64_t i = 0; i < kPlans; ++i) {
    const auto extent = [&](std::uint64_t which, std::uint64_t most) {
      return static_cast<std::int64_t>(gemm::counter_bits(which, i) % most) + 1;
    };
    const std::int64_t n = i % 2 == 0 ? 32 * extent(2, 30) : extent(2, 900);
    trials.emplace_back(Case{
        .problem = gemm::packed_problem(extent(1, 900), n, 8 * extent(3, 150), DataType::kBf16)});
  }
  for_every_variant(0, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
    std::vector<harness::Plan> plans;
    for (Trial& trial : trials) {
      trial.reset_c();
      plans.push_back(harness::prepare(chapter, variant, trial.problem()));
    }
    for (std::uint64_t launch = 0; launch < kLaunches; ++launch) {
      plans[launch < kPlans ? launch : gemm::counter_bits(4, launch) % kPlans].run(gpu::Stream{});
    }
    gpu::synchronize();
    for (Trial& trial : trials) CHECK(trial.complaints() == std::vector<std::string>{});
  });
}

TEST_CASE("offsets beyond 32 bits") {
  constexpr std::int64_t kFar = (std::int64_t{1} << 30) + 8;  // elements between lines
  gemm::HostOperands host =
      make_operands(gemm::packed_problem(5, 4, 40, DataType::kBf16), Values::kIntegers, 1);
  std::vector<harness::DeviceMemory> memory;
  try {
    for (const int lines : {5, 4, 5}) {  // 8 + 6 + 8 GiB
      memory.emplace_back(static_cast<std::size_t>(2 * kFar * (lines - 1) + 80));
    }
  } catch (const core::DeviceError& error) {
    WARN("not tried: " << error.what());
    cudaGetLastError();
    return;
  }
  copy_lines(memory[0].data(), 2 * kFar, host.a, 5, true);
  copy_lines(memory[1].data(), 2 * kFar, host.b, 4, true);
  Problem far = host.problem;
  far.a = memory[0].data();
  far.b = memory[1].data();
  far.c = memory[2].data();
  far.lda = far.ldb = far.ldc = kFar;
  for_every_variant(0, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
    gemm::Bytes c(2 * 5 * 4, gemm::kPoison);
    copy_lines(memory[2].data(), 2 * kFar, c, 5, true);
    harness::prepare(chapter, variant, far).run(gpu::Stream{});
    gpu::synchronize();
    copy_lines(memory[2].data(), 2 * kFar, c, 5, false);
    const gemm::Report report = gemm::verify(host, c.data());
    INFO(describe(report)[0]);
    CHECK(report.ok());
  });
}
