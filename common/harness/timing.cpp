#include <harness/timing.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>

namespace harness {
namespace {

constexpr int kMostLaunchesInBatch = 4000;
constexpr int kMostSets = 1024;

// A launch that takes this long is its own warm-up: what a warm-up is for (caches, instruction
// cache, the first microseconds of a raised clock) is over after a small part of it.
constexpr double kNoWarmUpAboveMs = 50;

// Sustained mode: the measured time is cut into about this many samples.
constexpr int kSustainedSamples = 10;

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

  // Milliseconds since `start`; both must have been reached.
  double since(const Event& start) const {
    float ms = 0;
    gpu::check(cudaEventElapsedTime(&ms, start, handle), "cudaEventElapsedTime");
    return ms;
  }
};

std::optional<double> mean(const std::vector<double>& readings) {
  if (readings.empty()) return std::nullopt;
  const double sum = std::accumulate(readings.begin(), readings.end(), 0.0);
  return sum / static_cast<double>(readings.size());
}

// Device time of what is launched.
template <class Launch>
double device_ms(gpu::Stream stream, const Launch& launch) {
  Event start, stop;
  start.record(stream);
  launch();
  stop.record(stream);
  stop.wait();
  return stop.since(start);
}

}  // namespace

double time_launches(const Plan& plan, int launches, gpu::Stream stream) {
  const auto launch = [&] {
    for (int i = 0; i < launches; ++i) plan.run(stream);
  };
  return device_ms(stream, launch) / launches;
}

int sets_beyond_l2(double bytes_per_set, double l2_bytes, bool cold) {
  if (bytes_per_set <= 0) return 1;
  if (bytes_per_set > l2_bytes) return cold ? 2 : 1;
  // Twice the cache: replacement is not strictly "oldest first", and a set just above the cache's
  // size would survive in parts.
  return static_cast<int>(std::min<double>(kMostSets, std::ceil(2 * l2_bytes / bytes_per_set)));
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
    launch(batch_);
    launch_ms_ = device_ms(stream_, [&] { launch(batch_); }) / batch_;
  }
  const double batch_ms =
      config_.sustained ? config_.sustained_ms / kSustainedSamples : config_.burst_ms;
  batch_ = launches_in(batch_ms, launch_ms_);
  if (graph()) {
    // A graph of tens of milliseconds would only be larger: in sustained mode it is launched again
    // and again. It must go through all sets of operands, or it would leave some in the cache.
    const int burst = launches_in(config_.burst_ms, launch_ms_);
    batch_ = std::clamp(burst, buffers(), kMostLaunchesInBatch);
    capture();
    launch(batch_);
  }
  gpu::check(cudaStreamSynchronize(stream_), "kernel");
}

// Replaces graph_ by one of batch_ launches. Thread-local capture refuses what a plan's run() must
// not do (allocate, synchronize) with an error instead of a wrong measurement.
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
  gpu::check(cudaGraphUpload(graph_, stream_), "cudaGraphUpload");
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

// Burst: a rest, a warm-up, one sample. Sustained: launches of the same kernel until the board is
// hot, then several samples without a gap. launch_ms_ was measured cool; hot, everything takes
// longer, so the counts of launches err on the long side.
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

}  // namespace harness
