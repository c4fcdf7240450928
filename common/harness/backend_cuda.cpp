// The CUDA backend's share of the harness: kernels and cuBLAS at one problem after the other, in
// turn, all verified.

#include <harness/job.hpp>
#include <harness/timing.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace harness {
namespace {

constexpr int kBurstRounds = 15, kSustainedRounds = 3, kCeilingRounds = 5;
constexpr int kTuneRounds = 3;                                       // of dozens of configurations
constexpr double kBurstBudgetMs = 6000, kSustainedBudgetMs = 10000;  // per kernel and problem
constexpr double kLongestLaunch = 2;  // seconds: what takes longer is left out of `bench`

// A kernel, or cuBLAS as a baseline. Without plans it is not timed, and its row says why.
struct Measured {
  Row row;
  std::vector<Plan> plans = {};  // one for each set of operands
  std::optional<TimedWork> work = {};

  bool is_cublas() const { return row.chapter == kCublas; }
  bool is_default() const { return row.variant == kDefaultVariant; }
  std::string label() const { return row.chapter + " " + row.variant + " " + row.shape.text(); }
};

class Measurement {
 public:
  Measurement(const Job& job_, Results& results_)
      : job(job_), results(results_), config{.sustained = job.options.mode == "sustained"} {
    results.device.power_cap_w = nvml.power_cap_w();
    results.software = {
        {"driver", nvml.driver_version()},
        {"cuda", formatted("%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10)},
        {"cublas", Cublas::version()},
        {"compiler", std::string("nvcc " NVCC_VERSION ", ") + host_compiler()}};
    results.asked.rounds = rounds;
    results.method = {{"rest_ms", config.rest_ms}, {"burst_ms", config.burst_ms}};
    if (config.sustained) {
      results.method = {{"preheat_ms", config.preheat_ms}, {"sustained_ms", config.sustained_ms}};
    }
    results.ceilings = measure_ceilings(config, config.sustained ? 1 : kCeilingRounds, stream);
    print(heading(results));
    if (!nvml.knows_device) print("no clock and power: libnvidia-ml.so.1 does not know this GPU\n");
  }

  // All kernels and cuBLAS at one problem: a table, and their rows. Returns an exit status.
  int measure(const gemm::Problem& problem) {
    progress("operands of " + shape_of(problem).text());
    SecondOpinion second;
    if (!Cublas::why_unsuited(problem)) {
      second = [this](const gemm::Problem& p) { cublas.compute_precisely(p); };
    }
    // Sets of operands so that none is still in the L2 cache when its turn comes again, twice the
    // cache. With --cold not even the last bytes of a set that does not fit are found.
    const double l2 = static_cast<double>(results.device.l2_bytes.value_or(0));
    const double fit = 2 * l2 / operand_bytes(problem), cold_sets = job.options.cold ? 2 : 1;
    const int sets = static_cast<int>(fit < 2 ? cold_sets : std::min(std::ceil(fit), 1024.0));
    trial.emplace(problem, gemm::Values::kUniform, second, sets);
    problems = trial->problems();

    std::vector<Measured> all;
    for (const Kernel& kernel : job.kernels) all.push_back(planned(kernel));
    add_cublas(all);
    std::vector<Measured*> timed;
    for (Measured& one : all) {
      if (!one.plans.empty()) timed.push_back(&one);
    }
    std::vector<double> costs;
    for (Measured* one : timed) {
      costs.push_back(one->work.emplace(one->plans, config, stream).sample_cost_ms());
    }
    const double usual_ms = config.sustained ? kSustainedBudgetMs : kBurstBudgetMs;
    const double budget_ms = job.options.rounds ? 1e12 : usual_ms;  // what was asked for is done
    for (const Turn& turn : turns(costs, rounds, budget_ms)) {
      Measured& one = *timed[turn.kernel];
      progress(one.label() + formatted(": round %d of %d", turn.round + 1, rounds));
      one.work->sample(&nvml);
    }

    std::optional<double> cublas_default, cublas_better;
    double most = 0;
    std::string fastest = "none";  // configuration, the chapter's own choice left out
    for (Measured* one : timed) {
      one->work->fill(one->row);
      const double gflops = one->row.gflops_median;
      if (one->is_cublas()) {
        if (one->is_default()) cublas_default = gflops;
        cublas_better = std::max(cublas_better.value_or(0), gflops);
        continue;
      }
      check_after(*one);
      if (one->is_default() || one->row.skipped || gflops <= most) continue;
      most = gflops;
      fastest = one->row.variant;
    }
    std::vector<Row> rows;
    for (Measured& one : all) {
      one.row.cublas_gflops = cublas_better;
      one.row.cublas_default_gflops = cublas_default;
      rows.push_back(std::move(one.row));
    }
    print(formatted("\n%s", speed_table(results, rows).c_str()));
    if (job.options.tune) print("fastest configuration: " + fastest + "\n");
    results.rows.insert(results.rows.end(), rows.begin(), rows.end());
    return any_wrong ? core::kWrongResult : core::kRight;
  }

 private:
  Measured planned(const Kernel& kernel) {
    Measured one{kernel.row(problems[0], job.options.mode)};
    progress(one.label() + ": verifying");
    // What a launch takes, before it is launched: by enough rows of C to fill the device. All else
    // being equal, time is proportional to them.
    gemm::Problem part = problems[0];
    part.m = std::min(part.m, std::max<std::int64_t>(part.m / 32, 128));
    const std::vector<gemm::Problem> parts(job.leaves_out ? 1 : 0, part);
    for (const Plan& plan : job.plans(kernel, parts, one.row)) {
      time_launches(plan, 1, stream);  // loads the kernel
      const double part_s = 1e-3 * time_launches(plan, 1, stream);
      const double all_s = part_s * problems[0].flops() / part.flops();
      if (all_s < kLongestLaunch) continue;
      one.row.skipped = formatted("left out: one launch would take about %.1f s", all_s);
    }
    if (!one.row.skipped) one.plans = job.plans(kernel, problems, one.row);
    verify(one);
    return one;
  }

  // Runs once on the first set, compares, and fills the row's rel_err.
  void verify(Measured& one) {
    if (one.plans.empty()) return;
    const Verdict verdict = trial->run(one.plans.front(), stream);
    one.row.rel_err = verdict.rel_err;
    require_right(one, verdict, "");
  }

  // What is wrong keeps no plans, and its row says so. cuBLAS is measured as it comes: it is free
  // to add partial sums in 16 bits where it splits K, and may then miss a tolerance made for fp32.
  void require_right(Measured& one, const Verdict& verdict, const std::string& when) {
    if (verdict.ok()) return;
    if (one.is_cublas()) {
      return print(one.label() + ": not within the tolerance for fp32 accumulation\n", stderr);
    }
    one.plans.clear();
    one.row.skipped = "wrong result" + when;
    any_wrong = true;
    print(verdict.report(one.label() + when + ": WRONG"), stderr);
  }

  void add_cublas(std::vector<Measured>& all) {
    const auto add = [&](const char* variant, std::vector<Plan> plans) {
      Row row = job.kernels[0].row(problems[0], job.options.mode);
      row.chapter = kCublas;
      row.variant = variant;
      Measured one{row, std::move(plans)};
      verify(one);
      all.push_back(std::move(one));
    };
    try {
      if (const auto reason = Cublas::why_unsuited(problems[0])) throw core::Refused(*reason);
      std::vector<Plan> by_default;
      for (const gemm::Problem& p : problems) by_default.push_back(cublas.default_gemm(p));
      add(kDefaultVariant, std::move(by_default));
      auto best = cublas.best(problems);
      if (!best.empty()) add(kCublasBest, std::move(best));
    } catch (const std::runtime_error& error) {
      print(formatted("no cuBLAS to compare with: %s\n", error.what()), stderr);
      cudaGetLastError();
    }
  }

  // A kernel that was right before it was timed can still have gone wrong while it was: by a race
  // that shows only when launches follow each other closely, or by having been captured wrongly.
  void check_after(Measured& one) {
    if (problems[0].epilogue.reads_c()) return;  // every launch of the timed path changed C again
    progress(one.label() + ": verifying again");
    const std::set<std::size_t> looked_at = {0, problems.size() - 1};
    for (const std::size_t i : looked_at) trial->device(i).reset_c();
    one.work->launch(std::max(one.work->batch(), one.work->buffers()));
    gpu::check(cudaStreamSynchronize(stream), one.label().c_str());
    for (const std::size_t i : looked_at) {
      if (!one.row.skipped) require_right(one, trial->judge(i), " after it was timed");
    }
  }

  const Job& job;
  Results& results;
  bool any_wrong = false;
  TimingConfig config;
  const int rounds = job.options.rounds.value_or(config.sustained   ? kSustainedRounds
                                                 : job.options.tune ? kTuneRounds
                                                                    : kBurstRounds);
  OwnStream stream;
  const Nvml nvml;
  const Cublas cublas{stream};
  std::optional<Trial> trial;           // of the problem that is being measured
  std::vector<gemm::Problem> problems;  // of its sets
};

}  // namespace

const bool kOnGpu = true;

void check_after_launches() {}

namespace backend {

void start(const Options& options, bool sized) {
  std::vector<std::string> words = options.words;
  // What only the CPU backend has is asked for by name; it need not be said twice.
  if (options.backend == "cpu") become("_cpu", "--backend cpu", words);
  if (options.counters) become("_traced", "--counters", words);
  if (options.async) become("_cpu", "--async", words);

  if (const auto reason = gpu::why_no_device()) {
    if (options.backend == "cuda") throw core::DeviceError(*reason);
    const bool small = sized && options.shapes.empty();
    if (small) words.push_back("--size=256");
    const char* const where = small ? " at size 256" : sized ? " at the sizes asked for" : "";
    become("_cpu", *reason, words, *reason + ": running on the CPU backend" + where + "\n");
  }
  // The first call that needs the device; everything slow about its start happens here.
  gpu::check(cudaFree(nullptr), "CUDA");
}

Device device() {
  int current = 0;
  gpu::check(cudaGetDevice(&current), "cudaGetDevice");
  cudaDeviceProp found = {};
  gpu::check(cudaGetDeviceProperties(&found, current), "cudaGetDeviceProperties");
  return {.name = found.name,
          .sms = found.multiProcessorCount,
          .compute_capability = 10 * found.major + found.minor,
          .l2_bytes = found.l2CacheSize,
          .memory_bytes = static_cast<std::int64_t>(found.totalGlobalMem),
          .dram_bytes_per_second = gpu::dram_bytes_per_second()};
}

std::string trace(const Job&, const gemm::Problem&, int&) {
  throw core::Refused(
      "--trace: on a GPU belongs to --variant timeline, which chapters 07 to 09 and every_shape "
      "have; --backend cpu traces any variant");
}

SecondOpinion second_opinion(const gemm::Problem& problem, std::string& why_not) {
  if (shape_of(problem).empty()) return {};  // the reference covers it all
  why_not = Cublas::why_unsuited(problem).value_or("");
  if (!why_not.empty()) return {};
  const auto cublas = std::make_shared<const Cublas>(nullptr);
  return [cublas](const gemm::Problem& p) { cublas->compute_precisely(p); };
}

std::function<int(const gemm::Problem&)> measuring(const Job& job, Results& results) {
  const auto measurement = std::make_shared<Measurement>(job, results);
  return [measurement](const gemm::Problem& problem) { return measurement->measure(problem); };
}

}  // namespace backend
}  // namespace harness
