#include <harness/cublas.hpp>

#include <harness/statistics.hpp>
#include <harness/timing.hpp>

#include <algorithm>

namespace harness {
namespace {

constexpr std::size_t kFinalists = 5;
constexpr int kFinalRounds = 3;

struct Timed {
  Cublas::AlgorithmPtr algorithm;
  double ms = 0;
};

std::vector<Plan> plans_of(const Cublas& cublas, const std::vector<gemm::Problem>& problems,
                           const Cublas::AlgorithmPtr& algorithm) {
  std::vector<Plan> plans;
  for (const gemm::Problem& p : problems) plans.push_back(cublas.lt_gemm(p, algorithm));
  return plans;
}

}  // namespace

Cublas::AlgorithmPtr find_best(const Cublas& cublas, const std::vector<gemm::Problem>& problems,
                               gpu::Stream stream, const std::function<void(int, int)>& progress) {
  const auto proposals = cublas.proposals(problems.front());
  // Short rests suffice to tell the good ones from the bad; all get the same.
  const TimingConfig quick = {.rest_ms = 20, .burst_ms = 1};
  BoardSampler nothing(nullptr);
  std::vector<Timed> all;
  const int count = static_cast<int>(proposals.size());
  int done = 0;
  for (const auto& algorithm : proposals) {
    progress(done++, count);
    try {
      const auto plans = plans_of(cublas, problems, algorithm);
      plans.front().run(stream);
      gpu::check(cudaStreamSynchronize(stream), "cublasLtMatmul");
      TimedWork work(plans, quick, stream);
      work.sample(nothing);
      all.push_back({algorithm, work.samples().front()});
    } catch (const core::DeviceError&) {
      // Proposed, yet refused when launched. A fault of the device itself stays and is reported by
      // whatever runs next; a refusal is forgotten here.
      cudaGetLastError();
    }
  }
  if (all.empty()) return nullptr;
  std::stable_sort(all.begin(), all.end(),
                   [](const Timed& left, const Timed& right) { return left.ms < right.ms; });
  if (all.size() > kFinalists) all.resize(kFinalists);

  std::vector<TimedWork> finalists;
  for (const Timed& one : all) {
    finalists.emplace_back(plans_of(cublas, problems, one.algorithm), TimingConfig{}, stream);
  }
  progress(count, count);
  for (const Turn& turn : turns(std::vector<double>(finalists.size()), kFinalRounds, 1e9)) {
    finalists[static_cast<std::size_t>(turn.kernel)].sample(nothing);
  }
  std::size_t best = 0;
  const auto median = [&](std::size_t i) { return estimate(finalists[i].samples()).median; };
  for (std::size_t i = 1; i < finalists.size(); ++i) {
    if (median(i) < median(best)) best = i;
  }
  return all[best].algorithm;
}

}  // namespace harness
