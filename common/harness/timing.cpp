#include <harness/timing.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

namespace harness {
namespace {

constexpr int kMostLaunchesInBatch = 4000;
constexpr double kNoWarmUpAboveMs = 50;  // a launch that takes so long is its own warm-up

// A proposal that takes so many times as long as the fastest one before gets no burst. What is
// compared was timed without a rest: a hot board's clock alone can explain 1.4.
constexpr double kHopeless = 1.5;
constexpr int kSustainedSamples = 10;  // about so many in a measurement

int launches_in(double total_ms, double launch_ms) {
  const double count = std::ceil(total_ms / std::max(launch_ms, 1e-4));
  return static_cast<int>(std::clamp(count, 1.0, 1e6));
}

struct Event : Owned<cudaEventDestroy, cudaEvent_t> {
  Event() { gpu::check(cudaEventCreate(&handle), "cudaEventCreate"); }

  void record(gpu::Stream stream) {
    gpu::check(cudaEventRecord(handle, stream), "cudaEventRecord");
  }
  void wait() const { gpu::check(cudaEventSynchronize(handle), "kernel"); }

  // Milliseconds; both must have been reached.
  double since(const Event& start) const {
    float ms = 0;
    gpu::check(cudaEventElapsedTime(&ms, start, handle), "cudaEventElapsedTime");
    return ms;
  }
};

std::optional<double> mean(const std::vector<double>& readings) {
  if (readings.empty()) return std::nullopt;
  return std::reduce(readings.begin(), readings.end()) / static_cast<double>(readings.size());
}

constexpr std::size_t kWorkspaceBytes = std::size_t{256} << 20;
constexpr int kMostProposals = 256;  // more than cublasLt has for one problem
constexpr std::size_t kFinalists = 5;
constexpr int kFinalRounds = 3;

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw core::DeviceError(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

constexpr cudaDataType_t kCudaTypes[] = {CUDA_R_16BF, CUDA_R_16F, CUDA_R_32F};  // gemm::DataType

// cuBLAS thinks in column-major matrices. Our row-major C (M, N) is, column-major, the (N, M)
// matrix C^T = B A^T. So B is its first operand and A its second, and M and N change places. B with
// K contiguous is a column-major (K, N) matrix and must be transposed to (N, K); A with K
// contiguous is a column-major (K, M) matrix, which is A^T already.
struct Call {
  const gemm::Problem& p;
  cublasOperation_t op_b = p.b_major == gemm::Major::kK ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t op_a = p.a_major == gemm::Major::kK ? CUBLAS_OP_N : CUBLAS_OP_T;
  cudaDataType_t type = kCudaTypes[static_cast<int>(p.type)];
  cudaDataType_t c_type = kCudaTypes[static_cast<int>(p.c_type)];
};

void gemm_ex(cublasHandle_t handle, const gemm::Problem& p) {
  const Call c{p};
  check(cublasGemmEx_64(handle, c.op_b, c.op_a, p.n, p.m, p.k, &p.epilogue.alpha, p.b, c.type,
                        p.ldb, p.a, c.type, p.lda, &p.epilogue.beta, p.c, c.c_type, p.ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

using Preference = Owned<cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreference_t>;
using Operation = Owned<cublasLtMatmulDescDestroy, cublasLtMatmulDesc_t>;
using Layout = Owned<cublasLtMatrixLayoutDestroy, cublasLtMatrixLayout_t>;

// Of one problem's matrices, shared by all its algorithms.
struct Descriptors {
  Operation operation;
  Layout a, b, c;

  explicit Descriptors(const gemm::Problem& p) {
    const Call call{p};
    check(cublasLtMatmulDescCreate(&operation.handle, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const auto set = cublasLtMatmulDescSetAttribute;
    check(set(operation, CUBLASLT_MATMUL_DESC_TRANSA, &call.op_b, sizeof call.op_b));
    check(set(operation, CUBLASLT_MATMUL_DESC_TRANSB, &call.op_a, sizeof call.op_a));
    const auto layout = [](Layout& made, cudaDataType_t type, const gemm::Stored& stored) {
      check(cublasLtMatrixLayoutCreate(&made.handle, type,
                                       static_cast<std::uint64_t>(stored.length),
                                       static_cast<std::uint64_t>(stored.lines), stored.ld));
    };
    layout(a, call.type, gemm::stored_a(p));
    layout(b, call.type, gemm::stored_b(p));
    layout(c, call.c_type, gemm::stored_c(p));
  }
};

}  // namespace

double time_launches(const Plan& plan, int launches, gpu::Stream stream) {
  Event start, stop;
  start.record(stream);
  for (int i = 0; i < launches; ++i) plan.run(stream);
  stop.record(stream);
  stop.wait();
  return stop.since(start) / launches;
}

TimedWork::TimedWork(std::vector<Plan> plans, const TimingConfig& config, gpu::Stream stream)
    : plans_(std::move(plans)), config_(config), stream_(stream) {
  launch_ms_ = time_launches(plans_.front(), 1, stream_);
  if (launch_ms_ < 1) launch_ms_ = time_launches(plans_.front(), 10, stream_);
  if (launch_ms_ < config_.graph_below_ms) {
    // Short launches may be bound by the CPU's launching them, so the first graph is a guess that
    // tells how long they really take.
    batch_ = std::min(kMostLaunchesInBatch, launches_in(config_.burst_ms, launch_ms_));
    capture();
    const Plan batch = [this](gpu::Stream) { launch(batch_); };
    launch_ms_ = time_launches(batch, 1, stream_) / batch_;
  }
  // A graph of tens of milliseconds would only be larger: in sustained mode it is launched again
  // and again. It must go through all sets of operands, or it would leave some in the cache.
  const bool long_batch = config_.sustained && !graph();
  const double batch_ms = long_batch ? config_.sustained_ms / kSustainedSamples : config_.burst_ms;
  batch_ = launches_in(batch_ms, launch_ms_);
  if (graph()) {
    batch_ = std::clamp(batch_, buffers(), kMostLaunchesInBatch);
    capture();
  }
  gpu::check(cudaStreamSynchronize(stream_), "kernel");
}

// Replaces graph_ by one of batch_ launches, and launches it once. Thread-local capture refuses
// what a plan's run() must not do (allocate, synchronize) with an error instead of a wrong
// measurement.
void TimedWork::capture() {
  gpu::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCapture");
  Owned<cudaGraphDestroy, cudaGraph_t> graph;
  try {
    for (int i = 0; i < batch_; ++i)
      plans_[static_cast<std::size_t>(i) % plans_.size()].run(stream_);
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph.handle);
    throw;
  }
  gpu::check(cudaStreamEndCapture(stream_, &graph.handle), "cudaStreamEndCapture");
  graph_ = {};
  gpu::check(cudaGraphInstantiate(&graph_.handle, graph, 0), "cudaGraphInstantiate");
  launch(batch_);
}

// Each launch takes the next set of operands, a warm-up's as well: otherwise the first launch that
// is timed would find its operands in the cache.
void TimedWork::launch(int count) {
  for (int done = 0; graph() && done < count; done += batch_) {
    gpu::check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
  }
  for (int done = 0; !graph() && done < count; ++done) {
    plans_[static_cast<std::size_t>(next_)].run(stream_);
    next_ = (next_ + 1) % buffers();
  }
}

double TimedWork::sample_cost_ms() const {
  if (config_.sustained) {
    return std::max(config_.preheat_ms, launch_ms_) + std::max(config_.sustained_ms, launch_ms_);
  }
  const int warm_up = launch_ms_ >= kNoWarmUpAboveMs ? 0 : graph() ? batch_ : 1;
  return config_.rest_ms + (warm_up + batch_) * launch_ms_;
}

void TimedWork::fill(Row& row) const {
  row.samples_ms = samples_;
  row.graph = graph();
  row.buffers = buffers();
  row.sm_mhz = mean(mhz_);
  row.power_w = mean(watts_);
  set_gflops(row);
}

// launch_ms_ was measured cool; hot, everything takes longer, so the counts of launches err on the
// long side.
void TimedWork::sample(const Nvml* board) {
  const bool burst = !config_.sustained;
  const double batch_ms = batch_ * launch_ms_;
  const int batches = burst ? 1 : launches_in(config_.sustained_ms, batch_ms);
  const int per_sample = std::max(1, batches / kSustainedSamples);
  const int samples = (batches + per_sample - 1) / per_sample;

  // The device never waits between the last warm-up launch and the last measured one (a gap would
  // be timed, a pause would cool it): the CPU stays a batch and a sample ahead.
  Event nearly_hot;
  std::vector<Event> marks(static_cast<std::size_t>(samples) + 1);
  if (burst) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(config_.rest_ms));
    if (launch_ms_ < kNoWarmUpAboveMs) launch(1);  // one graph warms up for one graph
  } else {
    const int preheats = launches_in(config_.preheat_ms, batch_ms);
    for (int i = 0; i < preheats - 1; ++i) launch(batch_);
    nearly_hot.record(stream_);
    launch(batch_);
  }
  marks[0].record(stream_);
  for (int s = 0; s < samples; ++s) {
    for (int i = 0; i < per_sample; ++i) launch(batch_);
    marks[static_cast<std::size_t>(s) + 1].record(stream_);
    if (!burst && s == 0) nearly_hot.wait();
  }
  while (!burst && board != nullptr && cudaEventQuery(marks.back()) == cudaErrorNotReady) {
    if (const auto mhz = board->sm_mhz()) mhz_.push_back(*mhz);
    if (const auto watts = board->power_w()) watts_.push_back(*watts);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  marks.back().wait();
  for (std::size_t s = 1; s < marks.size(); ++s) {
    samples_.push_back(marks[s].since(marks[s - 1]) / (static_cast<double>(per_sample) * batch_));
  }
}

Cublas::Cublas(gpu::Stream stream) : stream_(stream), workspace_(kWorkspaceBytes) {
  check(cublasCreate(&handle_.handle));
  check(cublasSetStream(handle_, stream));
  check(cublasSetWorkspace(handle_, workspace_.data(), kWorkspaceBytes));
}

Plan Cublas::default_gemm(const gemm::Problem& problem) const {
  // The handle has its own stream; another would take away its workspace.
  return [=, handle = handle_.handle](gpu::Stream) { gemm_ex(handle, problem); };
}

void Cublas::compute_precisely(const gemm::Problem& problem) const {
  constexpr int kPrecise = CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  check(cublasSetMathMode(handle_, static_cast<cublasMath_t>(kPrecise)));
  gemm_ex(handle_, problem);
  check(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH));
  gpu::check(cudaStreamSynchronize(stream_), "cuBLAS");
}

std::vector<std::vector<Plan>> Cublas::proposals(const std::vector<gemm::Problem>& sets) const {
  const auto handle = reinterpret_cast<cublasLtHandle_t>(handle_.handle);  // takes the same
  const auto d = std::make_shared<const Descriptors>(sets.front());
  // Pointers are aligned to the 256 bytes that are expected where nothing else is said.
  Preference preference;
  check(cublasLtMatmulPreferenceCreate(&preference.handle));
  const auto prefer = cublasLtMatmulPreferenceSetAttribute;
  const std::uint64_t bytes = kWorkspaceBytes;
  const std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  check(prefer(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes));
  check(prefer(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions,
               sizeof reductions));

  cublasLtMatmulHeuristicResult_t results[kMostProposals];
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, d->operation, d->b, d->a, d->c, d->c, preference, kMostProposals, results, &found);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status);
  std::vector<std::vector<Plan>> out;
  for (const auto* result = results; result != results + found; ++result) {
    if (result->state != CUBLAS_STATUS_SUCCESS || result->workspaceSize > kWorkspaceBytes) continue;
    out.emplace_back();
    for (const gemm::Problem& p : sets) {
      out.back().push_back(
          [=, algorithm = result->algo, workspace = workspace_.data()](gpu::Stream stream) {
            check(cublasLtMatmul(handle, d->operation, &p.epilogue.alpha, p.b, d->b, p.a, d->a,
                                 &p.epilogue.beta, p.c, d->c, p.c, d->c, &algorithm, workspace,
                                 kWorkspaceBytes, stream));
          });
    }
  }
  return out;
}

std::vector<Plan> Cublas::best(const std::vector<gemm::Problem>& sets) const {
  const auto all = proposals(sets);
  std::vector<std::pair<double, std::size_t>> bursts;  // milliseconds, and of which proposal
  double fastest_ms = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < all.size(); ++i) {
    progress(formatted("cublas: proposal %zu of %zu", i + 1, all.size()));
    try {
      all[i].front().run(stream_);
      gpu::check(cudaStreamSynchronize(stream_), "kernel");
      // Short bursts and short rests, the same for all, tell the good ones from the bad.
      TimedWork work(all[i], {.rest_ms = 20, .burst_ms = 1}, stream_);
      fastest_ms = std::min(fastest_ms, work.launch_ms());
      if (work.launch_ms() > kHopeless * fastest_ms) continue;
      work.sample();
      bursts.emplace_back(work.samples().front(), i);
    } catch (const core::DeviceError&) {
      cudaGetLastError();  // a refusal is forgotten; a fault stays, and whatever runs next says so
    }
  }
  std::ranges::sort(bursts);
  bursts.resize(std::min(kFinalists, bursts.size()));
  std::vector<TimedWork> finalists;
  for (const auto& [ms, i] : bursts) finalists.emplace_back(all[i], TimingConfig{}, stream_);
  for (const Turn& turn : turns(std::vector<double>(finalists.size()), kFinalRounds, 1e9)) {
    finalists[turn.kernel].sample();
  }
  const auto median = [](const TimedWork& one) { return estimate(one.samples()).median; };
  const auto fastest = std::ranges::min_element(finalists, {}, median);
  if (fastest == finalists.end()) return {};
  return all[bursts[static_cast<std::size_t>(fastest - finalists.begin())].second];
}

}  // namespace harness
