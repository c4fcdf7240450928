#include <harness/measure.hpp>

#include <harness/ceilings.hpp>
#include <harness/left_out.hpp>

#include <core/error.hpp>

#include <algorithm>
#include <cstdio>

namespace harness {
namespace {

constexpr int kBurstRounds = 15;
constexpr int kSustainedRounds = 3;
constexpr double kBurstBudgetMs = 6000;  // per contestant and shape
constexpr double kSustainedBudgetMs = 10000;
constexpr int kCeilingRounds = 5;

}  // namespace

// Operands of one shape: enough copies that none is still in the L2 cache when its turn comes.
struct Measurement::Sets {
  Trial trial;                                       // the first set
  std::vector<std::unique_ptr<DeviceProblem>> more;  // the others

  int count() const { return 1 + static_cast<int>(more.size()); }
  DeviceProblem& at(int i) {
    return i == 0 ? trial.device() : *more[static_cast<std::size_t>(i - 1)];
  }
  std::vector<gemm::Problem> problems() {
    std::vector<gemm::Problem> all;
    for (int i = 0; i < count(); ++i) all.push_back(at(i).problem());
    return all;
  }
};

// Something that may be timed. Without runs it is not, and its row says why.
struct Measurement::Candidate {
  std::string label;
  Row row;
  std::vector<Run> runs;
};

Measurement::Measurement(const Job& job, const Device& device, const TimingConfig& config,
                         const Nvml* nvml)
    : job_(job), device_(device), config_(config), board_(nvml) {
  const bool burst = config.mode == Mode::kBurst;
  rounds_ = job.options.rounds.value_or(burst ? kBurstRounds : kSustainedRounds);
  budget_ms_ = burst ? kBurstBudgetMs : kSustainedBudgetMs;
  if (job.options.rounds) budget_ms_ = 1e12;  // what was asked for is done
  std::string why_not;
  cublas_ = Cublas::create(stream_, why_not);
  if (!cublas_) why_no_cublas_ = why_not;
}

std::optional<std::string> Measurement::cublas_version() const {
  if (!cublas_) return std::nullopt;
  return cublas_->version();
}

Ceilings Measurement::ceilings() {
  const int rounds = config_.mode == Mode::kBurst ? kCeilingRounds : 1;
  const Ceilings found = measure_ceilings(config_, rounds, stream_, board_,
                                          [&](const std::string& what) { progress_.show(what); });
  progress_.clear();
  return found;
}

Row Measurement::empty_row(const std::string& chapter, const std::string& variant,
                           const Shape& shape) const {
  Row row;
  row.chapter = chapter;
  row.variant = variant;
  row.shape = shape;
  row.dtype = job_.options.dtype;
  row.mode = name(config_.mode);
  return row;
}

void Measurement::report_wrong(const std::string& label, const std::vector<std::string>& failure) {
  wrong_ = true;
  progress_.clear();
  std::fprintf(stderr, "%s: WRONG\n", label.c_str());
  for (const std::string& line : failure) std::fprintf(stderr, "  %s\n", line.c_str());
}

// Runs once on the first set, compares, and fills the row's rel_err.
Verdict Measurement::judge(const std::vector<Run>& runs, Sets& sets, Candidate& candidate) {
  const Verdict verdict = sets.trial.judge([&] {
    runs.front()(stream_);
    gpu::check(cudaStreamSynchronize(stream_), candidate.label.c_str());
  });
  candidate.row.rel_err = verdict.rel_err;
  return verdict;
}

std::optional<std::string> Measurement::why_too_slow(const Entrant& entrant,
                                                     const gemm::Problem& problem) {
  const std::int64_t rows = rows_to_estimate_by({problem.m, problem.n, problem.k});
  if (rows == 0) return std::nullopt;
  gemm::Problem part = problem;
  part.m = rows;
  const Plan plan = harness::prepare(*entrant.chapter, *entrant.variant, part);
  const Run run = [&plan](gpu::Stream stream) { plan.run(stream); };
  run(stream_);  // loads the kernel
  return why_left_out(predicted_ms(time_launches(run, 1, stream_), rows, problem.m));
}

void Measurement::add_entrant(const Entrant& entrant, const Shape& shape, Sets& sets,
                              std::vector<Candidate>& all) {
  const std::string variant = entrant.is_default ? kDefaultVariant : entrant.variant->name;
  all.push_back({entrant.label(), empty_row(entrant.chapter->name, variant, shape), {}});
  Candidate& c = all.back();
  progress_.show(c.label + " " + shape.text() + ": verifying");
  if (const auto reason = why_unsupported(*entrant.chapter, device_.compute_capability)) {
    if (!job_.leaves_out) throw core::Refused(*reason);
    c.row.skipped = without_name(*entrant.chapter, *reason);
    return;
  }
  std::vector<Run> runs;
  try {
    if (job_.leaves_out) c.row.skipped = why_too_slow(entrant, sets.at(0).problem());
    if (c.row.skipped) return;
    for (int i = 0; i < sets.count(); ++i) {
      runs.push_back(
          [plan = harness::prepare(*entrant.chapter, *entrant.variant, sets.at(i).problem())](gpu::Stream s) { plan.run(s); });
    }
  } catch (const core::Refused& reason) {
    if (!job_.leaves_out) throw;
    c.row.skipped = without_name(*entrant.chapter, reason.what());
    return;
  }
  const Verdict verdict = judge(runs, sets, c);
  if (verdict.ok) {
    c.runs = std::move(runs);
  } else {
    c.row.skipped = "wrong result";
    report_wrong(c.label, verdict.failure);
  }
}

void Measurement::add_cublas(const Shape& shape, Sets& sets, std::vector<Candidate>& all) {
  const auto problems = sets.problems();
  if (const auto reason = Cublas::why_unsuited(problems.front())) why_no_cublas_ = *reason;
  if (!cublas_ || Cublas::why_unsuited(problems.front())) return;
  const auto add = [&](const char* variant, const std::function<Run(const gemm::Problem&)>& make) {
    Candidate c = {std::string(kCublas) + " " + variant, empty_row(kCublas, variant, shape), {}};
    std::vector<Run> runs;
    for (const gemm::Problem& problem : problems) runs.push_back(make(problem));
    // cuBLAS is free to add partial sums in 16 bits where it splits K, and may then miss a
    // tolerance made for fp32. It is measured as it comes; its rel_err tells.
    const Verdict verdict = judge(runs, sets, c);
    if (!verdict.ok) {
      progress_.clear();
      std::fprintf(stderr, "%s %s: not within the tolerance for fp32 accumulation\n",
                   c.label.c_str(), shape.text().c_str());
    }
    c.runs = std::move(runs);
    all.push_back(std::move(c));
  };
  try {
    add(kDefaultVariant, [&](const gemm::Problem& p) { return cublas_->default_gemm(p); });
    const auto best = find_best(*cublas_, problems, stream_, [&](int done, int of) {
      progress_.show("cublasLt " + shape.text() + ": proposal " + std::to_string(done) + " of " +
                     std::to_string(of));
    });
    if (best) add(kCublasBest, [&](const gemm::Problem& p) { return cublas_->lt_gemm(p, best); });
  } catch (const core::DeviceError& error) {
    why_no_cublas_ = error.what();
    cudaGetLastError();
  }
}

// A kernel that was right before it was timed can still have gone wrong while it was: by a race
// that shows only when launches follow each other closely, or by having been captured wrongly.
void Measurement::check_after(Sets& sets, Candidate& candidate, Contestant& contestant) {
  if (candidate.row.chapter == kCublas) return;
  const bool reads_c = sets.trial.host().problem.epilogue.kind == gemm::EpilogueKind::kAlphaBeta;
  if (reads_c) return;  // every launch of the timed path changed C again
  std::vector<int> looked_at = {0};
  if (contestant.sets_in_timed_path() > 1) looked_at.push_back(contestant.sets_in_timed_path() - 1);
  for (const int i : looked_at) sets.at(i).reset_c();
  contestant.run_timed_path();
  gpu::check(cudaStreamSynchronize(stream_), candidate.label.c_str());
  for (const int i : looked_at) {
    const Verdict verdict = sets.trial.judge(sets.at(i));
    if (verdict.ok) continue;
    report_wrong(candidate.label + ", after it was timed", verdict.failure);
    candidate.row.skipped = "wrong result after it was timed";
    return;
  }
}

std::vector<Row> Measurement::at(const Shape& shape) {
  const gemm::Problem problem = problem_of(job_.options, shape);
  progress_.show("operands of " + shape.text());
  SecondOpinion second;
  if (cublas_ && !Cublas::why_unsuited(problem)) {
    second = [this](const gemm::Problem& p) { cublas_->compute_precisely(p); };
  }
  Sets sets{Trial(problem, gemm::Values::kUniform, second), {}};
  const int count = sets_beyond_l2(
      operand_bytes(problem), static_cast<double>(device_.l2_bytes.value_or(0)), job_.options.cold);
  for (int i = 1; i < count; ++i) {
    sets.more.push_back(std::make_unique<DeviceProblem>(sets.trial.host()));
  }

  std::vector<Candidate> candidates;
  for (const Entrant& entrant : job_.entrants) add_entrant(entrant, shape, sets, candidates);
  add_cublas(shape, sets, candidates);

  std::vector<Contestant> contestants;
  std::vector<Candidate*> timed;
  for (Candidate& c : candidates) {
    if (c.runs.empty()) continue;
    contestants.emplace_back(c.runs, config_, stream_);
    timed.push_back(&c);
  }
  const auto samples = run_rounds(contestants, rounds_, budget_ms_, board_, [&](int i, int round) {
    progress_.show(timed[static_cast<std::size_t>(i)]->label + " " + shape.text() + ": round " +
                   std::to_string(round + 1) + " of " + std::to_string(rounds_));
  });

  std::optional<double> cublas_default, cublas_better;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    Row& row = timed[i]->row;
    progress_.show(timed[i]->label + " " + shape.text() + ": verifying again");
    check_after(sets, *timed[i], contestants[i]);
    row.samples_ms = samples[i];
    row.graph = contestants[i].graph();
    row.buffers = contestants[i].buffers();
    const auto board = mean(contestants[i].board_readings());
    row.sm_mhz = board.sm_mhz;
    row.power_w = board.power_w;
    set_gflops(row);
    if (row.chapter != kCublas || row.skipped) continue;
    if (row.variant == kDefaultVariant) cublas_default = row.gflops_median;
    cublas_better = std::max(cublas_better.value_or(0), row.gflops_median);
  }
  std::vector<Row> rows;
  for (Candidate& c : candidates) {
    c.row.cublas_gflops = cublas_better;
    c.row.cublas_default_gflops = cublas_default;
    rows.push_back(std::move(c.row));
  }
  progress_.clear();
  return rows;
}

}  // namespace harness
