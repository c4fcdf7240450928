// Times tilings at many shapes, for fit.py: at each shape those that the choice takes for the
// fastest, and some of the next, in turns. The options are those of every_shape.

#include "../tiling_choice.hpp"

#include <core/program.hpp>
#include <gemm/inputs.hpp>
#include <gemm/operands.hpp>
#include <harness/job.hpp>
#include <harness/timing.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace every_shape {

namespace {

using enum core::Major;
using Bf16 = core::bf16;

constexpr const char* kName = "every_shape";
constexpr std::size_t kFastest = 10, kOthers = 2, kAmong = 40;  // the others: of the first 40
constexpr int kRounds = 3;
constexpr double kBurstMs = 0.5;
// Large problems after a rest: what heats the board for longer has another clock. The largest as in
// the harness' bursts: after shorter rests others are the fastest (notebook.md#rests).
constexpr double kRestMs = 8, kRestFromMs = 0.04, kAsInBurstsFromMs = 0.15;
constexpr std::size_t kArenaBytes = std::size_t{4} << 30, kWorkspaceBytes = std::size_t{256} << 20;

const TilingChoice& choice_of(const gemm::Problem& problem) {
  static const TilingChoice family(every_shape::tilings());
  if (problem.a_major == kK && problem.b_major == kK) return family;
  if (problem.a_major == kK) return choice_of_majors<Bf16, kK, kMn>();
  if (problem.b_major == kK) return choice_of_majors<Bf16, kMn, kK>();
  return choice_of_majors<Bf16, kMn, kMn>();
}

std::vector<const BuiltTiling*> promising(const gemm::Problem& problem, std::mt19937& random) {
  const TilingChoice& choice = choice_of(problem);
  auto candidates = choice.candidates(problem, 1.5, std::ssize(choice.tilings()));
  std::ranges::sort(candidates, {}, &TilingChoice::Candidate::time);
  candidates.resize(std::min(candidates.size(), kAmong));
  if (candidates.size() > kFastest) {
    std::shuffle(candidates.begin() + kFastest, candidates.end(), random);
    candidates.resize(std::min(candidates.size(), kFastest + kOthers));
  }
  std::vector<const BuiltTiling*> out;
  for (const auto& candidate : candidates) out.push_back(&choice.tilings()[candidate.tiling]);
  return out;
}

__global__ void find_difference(const Bf16* c, const Bf16* expected, std::int64_t size,
                                float tolerance, int* found) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) {
    const float a = core::to_float(c[i]), b = core::to_float(expected[i]);
    if (!(std::abs(a - b) <= tolerance + 0.01f * std::abs(b))) *found = 1;
  }
}

class Tuner {
 public:
  Tuner() {
    constexpr std::int64_t kSide = 4096;
    gemm::Bytes values(2 * kSide * kSide);
    gemm::fill_matrix(values.data(), gemm::DataType::kBf16, kSide, kSide, kSide, kK,
                      gemm::Values::kUniform, 0, 1);
    for (std::size_t at = 0; at < kArenaBytes; at += values.size())
      gpu::copy_to_device(inputs_.data() + at, values.data(), values.size());
    gpu::fill_bytes(workspace_.data(), 0, kWorkspaceBytes, stream_);
  }

  // Rows of the shape's tilings. Throws core::Refused where the problem is not for this kernel, and
  // core::DeviceError where two tilings' results differ.
  std::vector<harness::Row> time(gemm::Problem problem, std::int64_t l2_bytes, int rounds) {
    const std::size_t a = padded(problem.m * problem.k), b = padded(problem.n * problem.k);
    const std::size_t c = padded(problem.m * problem.n);
    const double fit = 2.0 * static_cast<double>(l2_bytes) / static_cast<double>(a + b + c);
    const int sets = fit < 2 ? 1 : static_cast<int>(std::min(std::ceil(fit), 1024.0));
    if (static_cast<std::size_t>(sets) * std::max(a + b, c) > kArenaBytes)
      throw core::Refused(harness::shape_of(problem).text() + ": too large to be timed here");
    const auto at = [&](int set) {
      const auto i = static_cast<std::size_t>(set);
      std::byte* const inputs = inputs_.data() + (a + b) * i;
      return Addresses{inputs, inputs + a, outputs_.data() + c * i, nullptr};
    };
    problem.a = at(0).a, problem.b = at(0).b, problem.c = at(0).c;
    gemm::validate(problem, kName);
    gemm::require_tma(problem, kName);
    if (!can_store_wide(problem))
      throw core::Refused(harness::shape_of(problem).text() + ": N must be a multiple of 8");

    std::vector<harness::Row> rows;
    std::vector<harness::TimedWork> works;
    for (const BuiltTiling* const built : promising(problem, random_)) {
      const AnyPlan plan = built->prepare(problem, {});
      if (plan.workspace_bytes() > kWorkspaceBytes) continue;
      compare(plan, problem, works.empty());
      const harness::Plan once = [&, plan](gpu::Stream s) { plan.run(s, workspace_.data()); };
      const double launch_ms = harness::time_launches(once, 2, stream_);
      harness::TimingConfig config;
      if (launch_ms < kAsInBurstsFromMs) {
        config.rest_ms = launch_ms < kRestFromMs ? 0 : kRestMs;
        config.burst_ms = kBurstMs;
      }
      std::vector<harness::Plan> plans;
      for (int set = 0; set < sets; ++set) {
        plans.emplace_back(
            [plan, to = at(set), this](gpu::Stream s) { plan.run(s, workspace_.data(), &to); });
      }
      works.emplace_back(plans, config, stream_);
      rows.push_back({.chapter = kName,
                      .variant = built->tiling.name(),
                      .shape = harness::shape_of(problem),
                      .mode = "burst"});
    }
    const std::vector<double> costs(works.size());
    for (const harness::Turn& turn : harness::turns(costs, rounds, 1e9))
      works[turn.kernel].sample();
    for (std::size_t i = 0; i < rows.size(); ++i) works[i].fill(rows[i]);
    return rows;
  }

 private:
  static std::size_t padded(std::int64_t elements) {
    return (2 * static_cast<std::size_t>(elements) + 1023) / 1024 * 1024;
  }

  // With the first tiling's result.
  void compare(const AnyPlan& plan, const gemm::Problem& problem, bool first) {
    const std::int64_t size = problem.m * problem.n;
    const auto bytes = 2 * static_cast<std::size_t>(size);
    gpu::fill_bytes(problem.c, 0xff, bytes, stream_);
    plan.run(stream_, workspace_.data());
    if (first) {
      gpu::check(cudaMemcpyAsync(expected_.data(), problem.c, bytes, cudaMemcpyDefault, stream_),
                 "cudaMemcpyAsync");
    }
    gpu::fill_bytes(found_.data(), 0, sizeof(int), stream_);
    find_difference<<<512, 256, 0, stream_>>>(
        static_cast<const Bf16*>(problem.c), reinterpret_cast<const Bf16*>(expected_.data()), size,
        0.02f * std::sqrt(static_cast<float>(problem.k)), reinterpret_cast<int*>(found_.data()));
    gpu::check(cudaStreamSynchronize(stream_), "kernel");
    int found = 0;
    gpu::copy_to_host(&found, found_.data(), sizeof found);
    if (found != 0) throw core::DeviceError(harness::shape_of(problem).text() + ": WRONG");
  }

  harness::OwnStream stream_;
  harness::DeviceMemory inputs_{kArenaBytes}, outputs_{kArenaBytes}, expected_{kArenaBytes},
      workspace_{kWorkspaceBytes}, found_{sizeof(int)};
  std::mt19937 random_;
};

int tune(int argc, const char* const* argv) {
  harness::Options options = harness::parse_options(argc, argv);
  for (const std::string& word : options.words) {
    const std::string option = word.substr(0, word.find('='));
    if (option != "--size" && option != "--sweep" && option != "--layout" && option != "--rounds" &&
        option != "--json")
      throw core::Refused(option + ": belongs to every_shape");
  }
  const std::string usage =
      "usage: (--size MxNxK,... | --sweep SEED) [--layout tn|nn|nt|tt] [--rounds N] --json FILE";
  if (!options.help.empty()) {
    std::puts(usage.c_str());
    return core::kRight;
  }
  if (options.shapes.empty() || !options.json) throw core::Refused(usage);
  core::OutputFile file(*options.json);
  options.backend = "cuda";
  harness::backend::start(options);
  options.rounds = options.rounds.value_or(kRounds);
  harness::Results results{.device = harness::backend::device(), .asked = options};
  results.method = {{"rest_ms", kRestMs},
                    {"rest_from_ms", kRestFromMs},
                    {"burst_ms", kBurstMs},
                    {"as_in_bursts_from_ms", kAsInBurstsFromMs},
                    {"zeros_loaded", 0}};
  Tuner tuner;
  for (const harness::Shape& shape : options.shapes) {
    const auto rows = tuner.time(harness::problem_of(options, shape),
                                 results.device.l2_bytes.value_or(0), *options.rounds);
    const auto& best = std::ranges::max(rows, {}, &harness::Row::gflops_median);
    std::printf("%s: %s, %.0f TFLOPS\n", shape.text().c_str(), best.variant.c_str(),
                best.gflops_median / 1e3);
    results.rows.insert(results.rows.end(), rows.begin(), rows.end());
    file.write(harness::to_json(results, harness::utc_now()));
  }
  return core::kRight;
}

}  // namespace
}  // namespace every_shape

int main(int argc, char** argv) {
  return core::run_main("every_shape_tune", every_shape::tune, argc, argv);
}
