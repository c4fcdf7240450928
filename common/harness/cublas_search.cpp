#include <harness/cublas.hpp>

#include <harness/statistics.hpp>

#include <algorithm>

namespace harness {
namespace {

constexpr std::size_t kFinalists = 5;
constexpr int kFinalRounds = 3;

struct Candidate {
  Cublas::AlgorithmPtr algorithm;
  double ms = 0;
};

std::vector<Run> runs_of(const Cublas& cublas, const std::vector<gemm::Problem>& problems,
                         const Cublas::AlgorithmPtr& algorithm) {
  std::vector<Run> runs;
  for (const gemm::Problem& problem : problems) runs.push_back(cublas.lt_gemm(problem, algorithm));
  return runs;
}

}  // namespace

Cublas::AlgorithmPtr find_best(const Cublas& cublas, const std::vector<gemm::Problem>& problems,
                               gpu::Stream stream, const std::function<void(int, int)>& progress) {
  const auto proposals = cublas.proposals(problems.front());
  // Short rests suffice to tell the good ones from the bad; every candidate gets the same.
  const TimingConfig quick = {.rest_ms = 20, .burst_ms = 1};
  BoardSampler nothing(nullptr);
  std::vector<Candidate> candidates;
  const int all = static_cast<int>(proposals.size());
  int done = 0;
  for (const auto& algorithm : proposals) {
    progress(done++, all);
    try {
      const auto runs = runs_of(cublas, problems, algorithm);
      runs.front()(stream);
      gpu::check(cudaStreamSynchronize(stream), "cublasLtMatmul");
      Contestant contestant(runs, quick, stream);
      candidates.push_back({algorithm, contestant.sample(nothing).front()});
    } catch (const core::DeviceError&) {
      // Proposed, yet refused when launched. A fault of the device itself stays and is reported by
      // whatever runs next; a refusal is forgotten here.
      cudaGetLastError();
    }
  }
  if (candidates.empty()) return nullptr;
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& left, const Candidate& right) { return left.ms < right.ms; });
  if (candidates.size() > kFinalists) candidates.resize(kFinalists);

  std::vector<Contestant> finalists;
  for (const Candidate& candidate : candidates) {
    finalists.emplace_back(runs_of(cublas, problems, candidate.algorithm), TimingConfig{}, stream);
  }
  const auto samples =
      run_rounds(finalists, kFinalRounds, 1e9, nothing, [&](int, int) { progress(all, all); });
  std::size_t best = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (estimate(samples[i]).median < estimate(samples[best]).median) best = i;
  }
  return candidates[best].algorithm;
}

}  // namespace harness
