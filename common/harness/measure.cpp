// backend::measure on a GPU: kernels and cuBLAS at one problem after the other, in turn, all
// verified.

#include <harness/backend.hpp>
#include <harness/cublas.hpp>
#include <harness/nvml.hpp>
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
constexpr double kWorthChoosing = 0.98;  // of the fastest configuration's speed

// A launch that takes longer is left out of `bench`. Below so many operations even a kernel at 0.1
// TFLOPS is done in a tenth of a second, and nothing is estimated.
constexpr double kLongestLaunchMs = 2000, kFlopsWorthEstimating = 1e10;

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

// Opens a library. Where it cannot be had, one line that says why.
template <class Library, class From>
std::string open(std::optional<Library>& library, const From& from) {
  try {
    library.emplace(from);
    return "";
  } catch (const core::DeviceError& error) {
    return error.what();
  }
}

// A kernel, or cuBLAS as a baseline. Without plans it is not timed, and its row says why.
struct Measured {
  std::string label;
  Row row;
  std::vector<Plan> plans = {};  // one for each set of operands

  bool is_cublas() const { return row.chapter == kCublas; }
};

class Measurement {
 public:
  explicit Measurement(const Job& given)
      : config{.mode = given.options.mode.value_or(Mode::kBurst)},
        job(given),
        burst(config.mode == Mode::kBurst),
        rounds(job.options.rounds.value_or(burst ? kBurstRounds : kSustainedRounds)) {
    why_no_nvml = open(nvml, pci_bus_id());
    why_no_cublas = open(cublas, stream.handle);
  }

  // What is known before anything is measured.
  void describe(Results& results) const {
    if (nvml) results.device.power_cap_w = nvml->power_cap_w();
    if (nvml) results.software.driver = nvml->driver_version();
    results.software.cuda = runtime_version();
    if (cublas) results.software.cublas = cublas->version();
    results.software.compiler = std::string("nvcc " NVCC_VERSION ", ") + host_compiler();
    Method& method = results.method;
    method.mode = name(config.mode);
    method.rounds = rounds;
    method.asked = job.options;
    (burst ? method.rest_ms : method.preheat_ms) = burst ? config.rest_ms : config.preheat_ms;
    (burst ? method.burst_ms : method.sustained_ms) = burst ? config.burst_ms : config.sustained_ms;
  }

  // All kernels and cuBLAS at one problem: their rows.
  std::vector<Row> measure(const gemm::Problem& problem, const Device& device) {
    progress.show("operands of " + shape_of(problem).text());
    SecondOpinion second;
    if (cublas && !Cublas::why_unsuited(problem)) {
      second = [this](const gemm::Problem& p) { cublas->compute_precisely(p); };
    }
    // Enough sets of operands that none is still in the L2 cache when its turn comes.
    const double l2 = static_cast<double>(device.l2_bytes.value_or(0));
    const int sets = sets_beyond_l2(operand_bytes(problem), l2, job.options.cold);
    trial.reset();
    trial = std::make_unique<Trial>(problem, gemm::Values::kUniform, second, sets);

    std::vector<Measured> all;
    for (const Kernel& kernel : job.kernels) all.push_back(planned(kernel));
    add_cublas(all);
    std::vector<Measured*> timed;
    std::vector<TimedWork> works;
    std::vector<double> costs;
    for (Measured& one : all) {
      if (one.plans.empty()) continue;
      timed.push_back(&one);
      works.push_back(TimedWork(one.plans, config, stream));
      costs.push_back(works.back().sample_cost_ms());
    }
    double budget_ms = burst ? kBurstBudgetMs : kSustainedBudgetMs;
    if (job.options.rounds) budget_ms = 1e12;  // what was asked for is done
    for (const Turn& turn : turns(costs, rounds, budget_ms)) {
      const auto i = static_cast<std::size_t>(turn.kernel);
      show(*timed[i], "round " + std::to_string(turn.round + 1) + " of " + std::to_string(rounds));
      works[i].sample(nvml ? &*nvml : nullptr);
    }

    std::optional<double> cublas_default, cublas_better;
    double most = 0;
    for (std::size_t i = 0; i < timed.size(); ++i) {
      works[i].fill(timed[i]->row);
      if (!timed[i]->is_cublas()) most = std::max(most, timed[i]->row.gflops_median);
    }
    for (std::size_t i = 0; i < timed.size(); ++i) {
      Row& row = timed[i]->row;
      // Of many configurations those matter that might be chosen.
      const bool slow = row.gflops_median < kWorthChoosing * most;
      if (!job.options.tune || row.variant == kDefaultVariant || !slow)
        check_after(*timed[i], works[i]);
      if (!timed[i]->is_cublas()) continue;
      if (row.variant == kDefaultVariant) cublas_default = row.gflops_median;
      cublas_better = std::max(cublas_better.value_or(0), row.gflops_median);
    }
    std::vector<Row> rows;
    for (Measured& one : all) {
      one.row.cublas_gflops = cublas_better;
      one.row.cublas_default_gflops = cublas_default;
      rows.push_back(std::move(one.row));
    }
    progress.clear();
    return rows;
  }

  TimingConfig config;
  OwnStream stream;
  std::string why_no_nvml, why_no_cublas;
  Progress progress;
  bool wrong = false;

 private:
  // A kernel with its plans. Throws core::Refused when it refuses the problem, unless such kernels
  // are left out: then the row says why.
  Measured planned(const Kernel& kernel) {
    const auto problems = trial->problems();
    Measured one{kernel.label(), row_of(kernel, problems[0], std::string(name(config.mode)))};
    show(one, "verifying");
    try {
      const double launch_ms = estimated_ms(kernel);
      if (launch_ms > kLongestLaunchMs) {
        const std::string seconds = fixed(launch_ms / 1000, 1);
        one.row.skipped = "left out: one launch would take about " + seconds + " s";
        return one;
      }
      for (const gemm::Problem& p : problems) one.plans.push_back(prepare(kernel, p));
    } catch (const core::Refused& reason) {
      if (!job.leaves_out) throw;
      one.plans.clear();
      one.row.skipped = without_name(kernel, reason);
    }
    verify(one);
    return one;
  }

  // What a launch of the kernel takes, where it is worth knowing before it is launched.
  double estimated_ms(const Kernel& kernel) {
    gemm::Problem part = trial->device().problem();
    if (!job.leaves_out || part.flops() < kFlopsWorthEstimating) return 0;
    // Enough rows of C to fill the device. All else being equal, time is proportional to them.
    const std::int64_t m = part.m;
    part.m = std::clamp<std::int64_t>(m / 32, std::min<std::int64_t>(128, m), m);
    const Plan plan = prepare(kernel, part);
    time_launches(plan, 1, stream);  // loads the kernel
    return time_launches(plan, 1, stream) * static_cast<double>(m) / static_cast<double>(part.m);
  }

  // Runs once on the first set, compares, and fills the row's rel_err. What is wrong keeps no
  // plans, but for cuBLAS: it is free to add partial sums in 16 bits where it splits K, and may
  // then miss a tolerance made for fp32. It is measured as it comes.
  void verify(Measured& one) {
    if (one.plans.empty()) return;
    trial->device().reset_c();
    one.plans.front().run(stream);
    gpu::check(cudaStreamSynchronize(stream), one.label.c_str());
    const Verdict verdict = trial->judge();
    one.row.rel_err = verdict.rel_err;
    if (verdict.ok()) return;
    if (one.is_cublas()) {
      progress.clear();
      std::fprintf(stderr, "%s %s: not within the tolerance for fp32 accumulation\n",
                   one.label.c_str(), one.row.shape.text().c_str());
      return;
    }
    one.plans.clear();
    one.row.skipped = "wrong result";
    report_wrong(one.label, verdict);
  }

  void add_cublas(std::vector<Measured>& all) {
    const auto problems = trial->problems();
    const auto unsuited = Cublas::why_unsuited(problems[0]);
    if (unsuited) why_no_cublas = *unsuited;
    if (unsuited || !cublas) return;
    const auto add = [&](const char* variant, std::vector<Plan> plans) {
      Measured one{.label = std::string(kCublas) + " " + variant, .row = all.front().row};
      one.row = {.chapter = kCublas,
                 .variant = variant,
                 .shape = one.row.shape,
                 .dtype = one.row.dtype,
                 .mode = one.row.mode};
      one.plans = std::move(plans);
      verify(one);
      all.push_back(std::move(one));
    };
    try {
      std::vector<Plan> by_default;
      for (const gemm::Problem& p : problems) by_default.push_back(cublas->default_gemm(p));
      add(kDefaultVariant, std::move(by_default));
      auto best = find_best(*cublas, problems, stream, [&](int done, int of) {
        show(all.back(), "proposal " + std::to_string(done) + " of " + std::to_string(of));
      });
      if (!best.empty()) add(kCublasBest, std::move(best));
    } catch (const core::DeviceError& error) {
      why_no_cublas = error.what();
      cudaGetLastError();
    }
  }

  // A kernel that was right before it was timed can still have gone wrong while it was: by a race
  // that shows only when launches follow each other closely, or by having been captured wrongly.
  void check_after(Measured& one, TimedWork& work) {
    if (one.is_cublas()) return;
    const auto problems = trial->problems();
    const bool reads_c = problems[0].epilogue.kind == gemm::EpilogueKind::kAlphaBeta;
    if (reads_c) return;  // every launch of the timed path changed C again
    show(one, "verifying again");
    const std::vector<std::size_t> looked_at = {0, problems.size() - 1};
    for (const std::size_t i : looked_at) trial->device(i).reset_c();
    work.launch(std::max(work.batch(), work.buffers()));
    gpu::check(cudaStreamSynchronize(stream), one.label.c_str());
    for (const std::size_t i : looked_at) {
      const Verdict verdict = trial->judge(i);
      if (verdict.ok()) continue;
      report_wrong(one.label + ", after it was timed", verdict);
      one.row.skipped = "wrong result after it was timed";
      return;
    }
  }

  void report_wrong(const std::string& label, const Verdict& verdict) {
    wrong = true;
    progress.clear();
    std::fprintf(stderr, "%s: WRONG\n", label.c_str());
    for (const std::string& line : verdict.failure) std::fprintf(stderr, "  %s\n", line.c_str());
  }
  void show(const Measured& one, const std::string& what) {
    progress.show(one.label + " " + one.row.shape.text() + ": " + what);
  }

  const Job& job;
  const bool burst;
  const int rounds;
  std::optional<Nvml> nvml;
  std::optional<Cublas> cublas;
  std::unique_ptr<Trial> trial;  // of the problem that is being measured
};

// The name of the fastest configuration that was measured, the chapter's own choice left out.
std::string fastest(const std::vector<Row>& rows) {
  const Row* found = nullptr;
  for (const Row& row : rows) {
    if (row.skipped || row.chapter == kCublas || row.variant == kDefaultVariant) continue;
    if (found == nullptr || row.gflops_median > found->gflops_median) found = &row;
  }
  return found == nullptr ? "none" : found->variant;
}

}  // namespace

int backend::measure(const Job& job, const std::vector<gemm::Problem>& problems, Results& results) {
  Measurement m(job);
  m.describe(results);
  print(heading(results));
  if (!m.why_no_nvml.empty()) print("no clock and power: " + m.why_no_nvml + "\n");

  results.ceilings =
      measure_ceilings(m.config, m.config.mode == Mode::kBurst ? kCeilingRounds : 1, m.stream,
                       [&](const std::string& what) { m.progress.show(what); });
  m.progress.clear();
  print(ceilings_line(results.ceilings));

  for (const gemm::Problem& problem : problems) {
    const std::vector<Row> rows = m.measure(problem, results.device);
    print("\n" + speed_table(results, rows));
    if (job.options.tune) print("fastest configuration: " + fastest(rows) + "\n");
    results.rows.insert(results.rows.end(), rows.begin(), rows.end());
  }
  if (!m.why_no_cublas.empty()) {
    print("\nno cuBLAS to compare with: " + m.why_no_cublas + "\n");
  }
  return m.wrong ? core::kWrongResult : core::kRight;
}

}  // namespace harness
