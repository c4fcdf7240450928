#include <harness/timing.hpp>

#include <harness/statistics.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
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

}  // namespace

double time_launches(const Run& run, int launches, gpu::Stream stream) {
  Event start, stop;
  start.record(stream);
  for (int i = 0; i < launches; ++i) run(stream);
  stop.record(stream);
  stop.wait();
  return stop.since(start) / launches;
}

int sets_beyond_l2(double bytes_per_set, double l2_bytes, bool cold) {
  if (bytes_per_set <= 0) return 1;
  if (bytes_per_set > l2_bytes) return cold ? 2 : 1;
  // Twice the cache: replacement is not strictly "oldest first", and a set just above the cache's
  // size would survive in parts.
  return static_cast<int>(std::min<double>(kMostSets, std::ceil(2 * l2_bytes / bytes_per_set)));
}

Contestant::Contestant(std::vector<Run> runs, const TimingConfig& config, gpu::Stream stream)
    : runs_(std::move(runs)), config_(config), stream_(stream) {
  launch_ms_ = time_launches(runs_.front(), 1, stream_);
  if (launch_ms_ < 1) launch_ms_ = time_launches(runs_.front(), 10, stream_);
  if (config_.graphs && launch_ms_ < config_.graph_below_ms) {
    // Short launches may be bound by the CPU's launching them, so the first graph is a guess that
    // tells how long they really take.
    batch_ = std::min(kMostLaunchesInBatch, launches_in(config_.burst_ms, launch_ms_));
    capture();
    launch_batch();
    Event start, stop;
    start.record(stream_);
    launch_batch();
    stop.record(stream_);
    stop.wait();
    launch_ms_ = stop.since(start) / batch_;
  }
  const double batch_ms =
      config_.mode == Mode::kBurst ? config_.burst_ms : config_.sustained_ms / kSustainedSamples;
  batch_ = launches_in(batch_ms, launch_ms_);
  if (graph()) {
    // A graph of tens of milliseconds would only be larger: in sustained mode it is launched again
    // and again. It must go through all sets of operands, or it would leave some in the cache.
    const int burst = launches_in(config_.burst_ms, launch_ms_);
    batch_ = std::clamp(burst, buffers(), kMostLaunchesInBatch);
    capture();
    launch_batch();
  }
  gpu::check(cudaStreamSynchronize(stream_), "kernel");
}

Contestant::Contestant(Contestant&& other) noexcept
    : runs_(std::move(other.runs_)),
      config_(other.config_),
      stream_(other.stream_),
      launch_ms_(other.launch_ms_),
      batch_(other.batch_),
      next_(other.next_),
      graph_(std::exchange(other.graph_, nullptr)),
      readings_(std::move(other.readings_)) {}

Contestant::~Contestant() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
}

int Contestant::sets_in_timed_path() const {
  return std::min(batch_, buffers());
}

// Replaces graph_ by one of batch_ launches. Thread-local capture refuses what a plan's run() must
// not do (allocate, synchronize) with an error instead of a wrong measurement.
void Contestant::capture() {
  if (graph_ != nullptr) {
    gpu::check(cudaGraphExecDestroy(std::exchange(graph_, nullptr)), "cudaGraphExecDestroy");
  }
  gpu::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    for (int i = 0; i < batch_; ++i) runs_[static_cast<std::size_t>(i) % runs_.size()](stream_);
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  gpu::check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
  cudaGraphDestroy(graph);
  gpu::check(status, "cudaGraphInstantiate");
  gpu::check(cudaGraphUpload(graph_, stream_), "cudaGraphUpload");
}

// Outside a graph. The next launch takes the next set of operands, a warm-up's as well: otherwise
// the first launch that is timed would find its operands in the cache.
void Contestant::launch_one() {
  runs_[static_cast<std::size_t>(next_)](stream_);
  next_ = (next_ + 1) % buffers();
}

void Contestant::launch_batch() {
  if (graph()) {
    gpu::check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
    return;
  }
  for (int i = 0; i < batch_; ++i) launch_one();
}

void Contestant::run_timed_path() {
  next_ = 0;
  for (int launched = 0; launched < buffers(); launched += batch_) launch_batch();
}

bool Contestant::warms_up() const {
  return launch_ms_ < kNoWarmUpAboveMs;
}

double Contestant::sample_cost_ms() const {
  if (config_.mode == Mode::kBurst) {
    const double warm_up = !warms_up() ? 0 : graph() ? batch_ * launch_ms_ : launch_ms_;
    return config_.rest_ms + warm_up + batch_ * launch_ms_;
  }
  return std::max(config_.preheat_ms, launch_ms_) + std::max(config_.sustained_ms, launch_ms_);
}

std::vector<double> Contestant::sample(BoardSampler& board) {
  if (config_.mode == Mode::kBurst) return {burst_sample(board)};
  return sustained_samples(board);
}

double Contestant::burst_sample(BoardSampler& board) {
  Event start, stop;
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(config_.rest_ms));
  board.begin();
  // The warm-up also keeps the device busy while the CPU hands over the start event and the first
  // launches, so that no gap between them is timed. One graph warms up for one graph.
  if (warms_up() && graph()) launch_batch();
  if (warms_up() && !graph()) launch_one();
  start.record(stream_);
  launch_batch();
  stop.record(stream_);
  stop.wait();
  for (const auto& reading : board.end()) readings_.push_back(reading);
  return stop.since(start) / batch_;
}

std::vector<double> Contestant::sustained_samples(BoardSampler& board) {
  const double batch_ms = batch_ * launch_ms_;
  const int preheats = launches_in(config_.preheat_ms, batch_ms);
  const int batches = launches_in(config_.sustained_ms, batch_ms);
  const int per_sample = std::max(1, batches / kSustainedSamples);
  const int samples = (batches + per_sample - 1) / per_sample;

  // launch_ms_ was measured cool. Hot, everything takes longer, so the counts above err on the long
  // side. The device never waits between the first preheating launch and the last measured one (a
  // pause would cool it): the CPU stays a batch and a sample ahead, and begins to read clock and
  // power when the preheating is all but over.
  Event nearly_hot;
  std::vector<Event> marks(static_cast<std::size_t>(samples) + 1);
  const auto enqueue_sample = [&](int s) {
    for (int i = 0; i < per_sample; ++i) launch_batch();
    marks[static_cast<std::size_t>(s) + 1].record(stream_);
  };
  for (int i = 0; i < preheats - 1; ++i) launch_batch();
  nearly_hot.record(stream_);
  launch_batch();
  marks[0].record(stream_);
  enqueue_sample(0);
  nearly_hot.wait();
  board.begin();
  for (int s = 1; s < samples; ++s) enqueue_sample(s);
  marks.back().wait();
  for (const auto& reading : board.end()) readings_.push_back(reading);

  std::vector<double> times;
  for (std::size_t s = 1; s < marks.size(); ++s) {
    times.push_back(marks[s].since(marks[s - 1]) / (static_cast<double>(per_sample) * batch_));
  }
  return times;
}

std::vector<std::vector<double>> run_rounds(std::vector<Contestant>& contestants, int rounds,
                                            double budget_ms, BoardSampler& board,
                                            const std::function<void(int, int)>& progress) {
  const int count = static_cast<int>(contestants.size());
  std::vector<std::vector<double>> samples(contestants.size());
  for (int round = 0; round < rounds; ++round) {
    for (const int i : round_order(count, round)) {
      Contestant& contestant = contestants[static_cast<std::size_t>(i)];
      // Spread over all rounds rather than the first few: a slow one that stopped early would be
      // compared with neighbours measured at another temperature.
      const int own = affordable_rounds(rounds, contestant.sample_cost_ms(), budget_ms);
      if (round * own / rounds == (round + 1) * own / rounds) continue;
      progress(i, round);
      for (const double ms : contestant.sample(board))
        samples[static_cast<std::size_t>(i)].push_back(ms);
    }
  }
  return samples;
}

}  // namespace harness
