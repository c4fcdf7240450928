// backend::measure on a GPU: kernels and cuBLAS at one problem after the other, in turn, all
// verified.

#include <harness/backend.hpp>
#include <harness/ceilings.hpp>
#include <harness/cublas.hpp>
#include <harness/nvml.hpp>
#include <harness/probes.hpp>
#include <harness/progress.hpp>
#include <harness/statistics.hpp>
#include <harness/tables.hpp>
#include <harness/timing.hpp>

#include <core/error.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace harness {
namespace {

constexpr int kBurstRounds = 15;
constexpr int kSustainedRounds = 3;
constexpr double kBurstBudgetMs = 6000;  // per kernel and problem
constexpr double kSustainedBudgetMs = 10000;
constexpr int kCeilingRounds = 5;

// A launch that takes longer is left out of `bench`. Below so many operations even a kernel at 0.1
// TFLOPS is done in a tenth of a second, and nothing is estimated.
constexpr double kLongestLaunchMs = 2000, kFlopsWorthEstimating = 1e10;

// Rows of C to estimate a launch by: enough to fill the device; 0 where trying it costs nothing.
std::int64_t rows_to_estimate_by(const Shape& shape) {
  if (shape.flops() < kFlopsWorthEstimating) return 0;
  return std::clamp<std::int64_t>(shape.m / 32, std::min<std::int64_t>(128, shape.m), shape.m);
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::string pci_bus_id() {
  int device = 0;
  gpu::check(cudaGetDevice(&device), "cudaGetDevice");
  char text[32] = {};
  gpu::check(cudaDeviceGetPCIBusId(text, sizeof text, device), "cudaDeviceGetPCIBusId");
  return text;
}

std::string runtime_version() {
  int version = 0;
  gpu::check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Method method_of(const Job& job, const TimingConfig& config, int rounds) {
  Method method;
  method.mode = name(config.mode);
  method.rounds = rounds;
  method.cold = job.options.cold;
  if (config.mode == Mode::kBurst) {
    method.rest_ms = config.rest_ms;
    method.burst_ms = config.burst_ms;
  } else {
    method.preheat_ms = config.preheat_ms;
    method.sustained_ms = config.sustained_ms;
  }
  if (job.options.layout != "tn") method.layout = job.options.layout;
  if (job.options.epilogue != "identity") method.epilogue = job.options.epilogue;
  if (job.options.fp32_c) method.c_dtype = "fp32";
  return method;
}

// Operands of one problem: enough copies that none is still in the L2 cache when its turn comes.
struct OperandSets {
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

// A kernel, or cuBLAS as a baseline. Without plans it is not timed, and its row says why.
struct Measured {
  std::string label;
  Row row;
  std::vector<Plan> plans;  // one for each set of operands
};

class Measurement {
 public:
  Measurement(const Job& job, const Device& device);

  OperandSets place(const gemm::Problem& problem);

  // A kernel with its plans. Throws core::Refused when it refuses the problem, unless such kernels
  // are left out: then the row says why.
  Measured planned(const Kernel& kernel, OperandSets& sets);

  // Runs once on the first set, compares, and fills the row's rel_err. What is wrong keeps no
  // plans, but for cuBLAS: it is free to add partial sums in 16 bits where it splits K, and may
  // then miss a tolerance made for fp32. It is measured as it comes.
  void verify(OperandSets& sets, Measured& one);

  void add_cublas(OperandSets& sets, std::vector<Measured>& all);

  // A kernel that was right before it was timed can still have gone wrong while it was: by a race
  // that shows only when launches follow each other closely, or by having been captured wrongly.
  void check_after(OperandSets& sets, Measured& one, TimedWork& work);

  const Job& job;
  const Device& device;
  TimingConfig config;
  int rounds;
  double budget_ms;  // per kernel and problem
  OwnStream stream;
  std::string why_no_nvml;
  std::unique_ptr<Nvml> nvml;
  std::unique_ptr<Cublas> cublas;
  std::string why_no_cublas;
  Progress progress;
  bool wrong = false;

 private:
  void report_wrong(const std::string& label, const std::vector<std::string>& failure);
};

Measurement::Measurement(const Job& given, const Device& on)
    : job(given),
      device(on),
      config{.mode = given.options.mode.value_or(Mode::kBurst)},
      nvml(Nvml::open(pci_bus_id(), why_no_nvml)) {
  const bool burst = config.mode == Mode::kBurst;
  rounds = job.options.rounds.value_or(burst ? kBurstRounds : kSustainedRounds);
  budget_ms = burst ? kBurstBudgetMs : kSustainedBudgetMs;
  if (job.options.rounds) budget_ms = 1e12;  // what was asked for is done
  cublas = Cublas::create(stream, why_no_cublas);
}

OperandSets Measurement::place(const gemm::Problem& problem) {
  progress.show("operands of " + shape_of(problem).text());
  SecondOpinion second;
  if (cublas && !Cublas::why_unsuited(problem)) {
    second = [this](const gemm::Problem& p) { cublas->compute_precisely(p); };
  }
  OperandSets sets{Trial(problem, gemm::Values::kUniform, second), {}};
  const int count = sets_beyond_l2(
      operand_bytes(problem), static_cast<double>(device.l2_bytes.value_or(0)), job.options.cold);
  for (int i = 1; i < count; ++i) {
    sets.more.push_back(std::make_unique<DeviceProblem>(sets.trial.host()));
  }
  return sets;
}

void Measurement::report_wrong(const std::string& label, const std::vector<std::string>& failure) {
  wrong = true;
  progress.clear();
  std::fprintf(stderr, "%s: WRONG\n", label.c_str());
  for (const std::string& line : failure) std::fprintf(stderr, "  %s\n", line.c_str());
}

void Measurement::verify(OperandSets& sets, Measured& one) {
  if (one.plans.empty()) return;
  sets.at(0).reset_c();
  one.plans.front().run(stream);
  gpu::check(cudaStreamSynchronize(stream), one.label.c_str());
  const Verdict verdict = sets.trial.judge();
  one.row.rel_err = verdict.rel_err;
  if (verdict.ok) return;
  if (one.row.chapter == kCublas) {
    progress.clear();
    std::fprintf(stderr, "%s %s: not within the tolerance for fp32 accumulation\n",
                 one.label.c_str(), one.row.shape.text().c_str());
    return;
  }
  one.plans.clear();
  one.row.skipped = "wrong result";
  report_wrong(one.label, verdict.failure);
}

Measured Measurement::planned(const Kernel& kernel, OperandSets& sets) {
  gemm::Problem part = sets.at(0).problem();
  Measured one{kernel.label(), row_of(kernel, part, std::string(name(config.mode))), {}};
  progress.show(one.label + " " + one.row.shape.text() + ": verifying");
  if (kernel.unsupported) {
    one.row.skipped = without_name(*kernel.chapter, *kernel.unsupported);
    return one;
  }
  try {
    part.m = rows_to_estimate_by(one.row.shape);
    if (job.leaves_out && part.m > 0) {
      const Plan plan = prepare(kernel, part);
      time_launches(plan, 1, stream);  // loads the kernel
      const double ms = time_launches(plan, 1, stream);
      // All else being equal, time is proportional to M.
      const double launch_ms =
          ms * static_cast<double>(one.row.shape.m) / static_cast<double>(part.m);
      if (launch_ms > kLongestLaunchMs) {
        one.row.skipped =
            "left out: one launch would take about " + fixed(launch_ms / 1000, 1) + " s";
        return one;
      }
    }
    for (const gemm::Problem& p : sets.problems()) one.plans.push_back(prepare(kernel, p));
  } catch (const core::Refused& reason) {
    if (!job.leaves_out) throw;
    one.plans.clear();
    one.row.skipped = without_name(*kernel.chapter, reason.what());
  }
  return one;
}

void Measurement::add_cublas(OperandSets& sets, std::vector<Measured>& all) {
  const auto problems = sets.problems();
  if (const auto reason = Cublas::why_unsuited(problems.front())) {
    why_no_cublas = *reason;
    return;
  }
  if (!cublas) return;
  const std::string shape = shape_of(problems.front()).text();
  const auto add = [&](const char* variant, const std::function<Plan(const gemm::Problem&)>& make) {
    Measured one{.label = std::string(kCublas) + " " + variant, .row = {}, .plans = {}};
    one.row.chapter = kCublas;
    one.row.variant = variant;
    one.row.shape = shape_of(problems.front());
    one.row.dtype = problems.front().type;
    one.row.mode = name(config.mode);
    for (const gemm::Problem& problem : problems) one.plans.push_back(make(problem));
    verify(sets, one);
    all.push_back(std::move(one));
  };
  try {
    add(kDefaultVariant, [&](const gemm::Problem& p) { return cublas->default_gemm(p); });
    const auto best = find_best(*cublas, problems, stream, [&](int done, int of) {
      progress.show("cublasLt " + shape + ": proposal " + std::to_string(done) + " of " +
                    std::to_string(of));
    });
    if (best) add(kCublasBest, [&](const gemm::Problem& p) { return cublas->lt_gemm(p, best); });
  } catch (const core::DeviceError& error) {
    why_no_cublas = error.what();
    cudaGetLastError();
  }
}

void Measurement::check_after(OperandSets& sets, Measured& one, TimedWork& work) {
  if (one.row.chapter == kCublas) return;
  const bool reads_c = sets.trial.host().problem.epilogue.kind == gemm::EpilogueKind::kAlphaBeta;
  if (reads_c) return;  // every launch of the timed path changed C again
  progress.show(one.label + " " + one.row.shape.text() + ": verifying again");
  const std::vector<int> looked_at = {0, sets.count() - 1};
  for (const int i : looked_at) sets.at(i).reset_c();
  work.launch(std::max(work.batch(), work.buffers()));
  gpu::check(cudaStreamSynchronize(stream), one.label.c_str());
  for (const int i : looked_at) {
    const Verdict verdict = sets.trial.judge(sets.at(i));
    if (verdict.ok) continue;
    report_wrong(one.label + ", after it was timed", verdict.failure);
    one.row.skipped = "wrong result after it was timed";
    return;
  }
}

// The name of the fastest configuration that was measured, the chapter's own choice left out.
std::string fastest(const std::vector<Row>& rows) {
  const Row* found = nullptr;
  for (const Row& row : rows) {
    if (row.skipped || row.chapter == kCublas || row.variant == kDefaultVariant) continue;
    if (found == nullptr || row.gflops_median > found->gflops_median) found = &row;
  }
  return found == nullptr ? "none" : found->variant;
}

void fill(Row& row, const TimedWork& work) {
  row.samples_ms = work.samples();
  row.graph = work.graph();
  row.buffers = work.buffers();
  row.sm_mhz = work.sm_mhz();
  row.power_w = work.power_w();
  set_gflops(row);
}

}  // namespace

int backend::measure(const Job& job, const std::vector<gemm::Problem>& problems, Results& results) {
  Measurement m(job, results.device);
  if (m.nvml) results.device.power_cap_w = m.nvml->power_cap_w();
  if (m.nvml) results.software.driver = m.nvml->driver_version();
  results.software.cuda = runtime_version();
  if (m.cublas) results.software.cublas = m.cublas->version();
  results.software.compiler =
      std::string("nvcc ") + probes::compiler_version() + ", " + host_compiler();
  results.method = method_of(job, m.config, m.rounds);
  print(heading(results));
  if (!m.nvml) print("no clock and power: " + m.why_no_nvml + "\n");

  results.ceilings =
      measure_ceilings(m.config, m.config.mode == Mode::kBurst ? kCeilingRounds : 1, m.stream,
                       [&](const std::string& what) { m.progress.show(what); });
  m.progress.clear();
  print(ceilings_line(results.ceilings));

  for (const gemm::Problem& problem : problems) {
    OperandSets sets = m.place(problem);
    std::vector<Measured> all;
    for (const Kernel& kernel : job.kernels) {
      all.push_back(m.planned(kernel, sets));
      m.verify(sets, all.back());
    }
    m.add_cublas(sets, all);
    std::vector<Measured*> timed;
    std::vector<TimedWork> works;
    std::vector<double> costs;
    for (Measured& one : all) {
      if (one.plans.empty()) continue;
      timed.push_back(&one);
      works.push_back(TimedWork(one.plans, m.config, m.stream));
      costs.push_back(works.back().sample_cost_ms());
    }
    for (const Turn& turn : turns(costs, m.rounds, m.budget_ms)) {
      const auto i = static_cast<std::size_t>(turn.kernel);
      m.progress.show(timed[i]->label + " " + timed[i]->row.shape.text() + ": round " +
                      std::to_string(turn.round + 1) + " of " + std::to_string(m.rounds));
      works[i].sample(m.nvml.get());
    }

    std::optional<double> cublas_default, cublas_better;
    for (std::size_t i = 0; i < timed.size(); ++i) {
      Row& row = timed[i]->row;
      m.check_after(sets, *timed[i], works[i]);
      fill(row, works[i]);
      if (row.chapter != kCublas) continue;
      if (row.variant == kDefaultVariant) cublas_default = row.gflops_median;
      cublas_better = std::max(cublas_better.value_or(0), row.gflops_median);
    }
    std::vector<Row> rows;
    for (Measured& one : all) {
      one.row.cublas_gflops = cublas_better;
      one.row.cublas_default_gflops = cublas_default;
      rows.push_back(std::move(one.row));
    }
    m.progress.clear();
    print("\n" + speed_table(results, rows));
    if (job.options.tune) print("fastest configuration: " + fastest(rows) + "\n");
    for (Row& row : rows) results.rows.push_back(std::move(row));
  }
  if (!m.why_no_cublas.empty()) {
    print("\nno cuBLAS to compare with: " + m.why_no_cublas + "\n");
  }
  return m.wrong ? core::kWrongResult : core::kRight;
}

}  // namespace harness
