// The contract where there is a GPU to ask more of: large shapes, graphs, offsets beyond 32 bits.

#include <test/cases.hpp>
#include <test/every_variant.hpp>
#include <test/trial.hpp>

#include <gemm/element.hpp>
#include <gemm/random.hpp>

#include <core/error.hpp>

#include <string>
#include <vector>

namespace {

using gemm::DataType;
using gemm::Problem;
using gemm::Values;
using test::Case;
using test::for_every_variant;
using test::Trial;

struct Captured {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;

  explicit Captured(const harness::Plan& plan) {
    gpu::check(cudaStreamCreate(&stream), "cudaStreamCreate");
    gpu::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
    plan.run(stream);
    gpu::check(cudaStreamEndCapture(stream, &graph), "end capture");
    gpu::check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  }
  Captured(const Captured&) = delete;
  ~Captured() {
    if (exec != nullptr) cudaGraphExecDestroy(exec);
    if (graph != nullptr) cudaGraphDestroy(graph);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  void launch() const { gpu::check(cudaGraphLaunch(exec, stream), "cudaGraphLaunch"); }
};

// Matrices whose rows lie so far apart that no 32-bit offset reaches the last: only the rows' own
// bytes are ever copied.
class FarRows {
 public:
  FarRows(const gemm::Stored& packed, DataType type, std::int64_t ld)
      : lines_(packed.lines),
        line_bytes_(static_cast<std::size_t>(packed.length * gemm::bytes_per_element(type))),
        step_(static_cast<std::size_t>(ld * gemm::bytes_per_element(type))),
        memory_(static_cast<std::size_t>(packed.lines - 1) * step_ + line_bytes_) {}

  void* data() const { return memory_.data(); }
  void write(const std::byte* host) {
    for (std::int64_t i = 0; i < lines_; ++i) {
      const auto line = static_cast<std::size_t>(i);
      gpu::copy_to_device(memory_.data() + line * step_, host + line * line_bytes_, line_bytes_);
    }
  }
  std::vector<std::byte> read() const {
    std::vector<std::byte> out(static_cast<std::size_t>(lines_) * line_bytes_);
    for (std::int64_t i = 0; i < lines_; ++i) {
      const auto line = static_cast<std::size_t>(i);
      gpu::copy_to_host(out.data() + line * line_bytes_, memory_.data() + line * step_,
                        line_bytes_);
    }
    return out;
  }

 private:
  std::int64_t lines_;
  std::size_t line_bytes_, step_;
  harness::DeviceMemory memory_;
};

}  // namespace

TEST_CASE("large") {
  std::vector<Case> cases;
  for (const DataType type : {DataType::kBf16, DataType::kFp16}) {
    cases.push_back({.problem = gemm::packed_problem(1024, 1024, 1024, type),
                     .values = Values::kUniform,
                     .repeat = true});
    cases.push_back({.problem = gemm::packed_problem(1000, 2056, 1528, type)});
    cases.push_back({.problem = gemm::packed_problem(65, 4097, 4104, type)});
  }
  cases.push_back({.problem = gemm::packed_problem(128, 256, 16384, DataType::kBf16),
                   .values = Values::kUniform});
  cases.push_back({.problem = gemm::packed_problem(70000, 72, 64, DataType::kBf16)});
  cases.push_back({.problem = gemm::packed_problem(127, 129, 72, DataType::kBf16)});
  cases.push_back({.problem = gemm::packed_problem(72, 70000, 64, DataType::kBf16)});
  for_every_variant(0, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
    for (const Case& c : cases) {
      INFO(label(c));
      CHECK(test::try_case(chapter, variant, c) == std::vector<std::string>{});
    }
  });
}

TEST_CASE("a plan can be captured in a graph") {
  for_every_variant(0, [](const harness::Chapter& chapter, const harness::Variant& variant) {
    for (const std::int64_t k : {0, 136}) {
      Case c;
      c.problem = gemm::packed_problem(200, 264, k, DataType::kBf16);
      Trial trial(c);
      const harness::Plan plan = harness::prepare(chapter, variant, trial.problem());
      const Captured graph(plan);
      for (int round = 0; round < 2; ++round) {
        trial.reset_c();
        gpu::synchronize();
        graph.launch();
        gpu::synchronize();
        CHECK(trial.complaints() == std::vector<std::string>{});
      }
    }
  });
}

// What a barrier left in the wrong phase, or a block that leaves too early, would turn into a hang.
TEST_CASE("2000 launches back to back") {
  constexpr int kPlans = 40, kLaunches = 2000;
  std::vector<Trial> trials;
  trials.reserve(kPlans);
  for (std::uint64_t i = 0; i < kPlans; ++i) {
    const auto extent = [&](std::uint64_t which, std::uint64_t most) {
      return static_cast<std::int64_t>(gemm::counter_bits(which, i) % most) + 1;
    };
    const std::int64_t n = i % 2 == 0 ? 32 * extent(2, 30) : extent(2, 900);
    Case c;
    c.problem = gemm::packed_problem(extent(1, 900), n, 8 * extent(3, 150), DataType::kBf16);
    trials.emplace_back(c);
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
  constexpr std::int64_t kFar = (std::int64_t{1} << 30) + 8;  // elements between rows
  const gemm::HostOperands host =
      make_operands(gemm::packed_problem(5, 4, 40, DataType::kBf16), Values::kIntegers, 1);
  const Problem& packed = host.problem;
  std::vector<FarRows> memory;  // 8 + 6 + 8 GiB
  try {
    memory.emplace_back(gemm::stored_a(packed), packed.type, kFar);
    memory.emplace_back(gemm::stored_b(packed), packed.type, kFar);
    memory.emplace_back(gemm::stored_c(packed), packed.type, kFar);
  } catch (const core::DeviceError& error) {
    WARN("not tried: " << error.what());
    cudaGetLastError();
    return;
  }
  memory[0].write(host.a.data());
  memory[1].write(host.b.data());
  Problem far = packed;
  far.a = memory[0].data();
  far.b = memory[1].data();
  far.c = memory[2].data();
  far.lda = far.ldb = far.ldc = kFar;
  for_every_variant(0, [&](const harness::Chapter& chapter, const harness::Variant& variant) {
    memory[2].write(host.c.data());
    harness::prepare(chapter, variant, far).run(gpu::Stream{});
    gpu::synchronize();
    const std::vector<std::byte> c = memory[2].read();
    const gemm::Report report = gemm::verify(host, c.data());
    INFO(describe(report)[0]);
    CHECK(report.ok());
  });
}
