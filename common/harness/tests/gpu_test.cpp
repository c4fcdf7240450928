// What only a GPU can show: the baseline is right, the ceilings are plausible, time can be measured
// twice.

#include <test/catch.hpp>

#include <harness/backend.hpp>
#include <harness/ceilings.hpp>
#include <harness/check.hpp>
#include <harness/cublas.hpp>
#include <harness/job.hpp>
#include <harness/statistics.hpp>
#include <harness/timing.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace harness;

struct Board {
  OwnStream stream;
  std::unique_ptr<Cublas> cublas;

  Board() {
    std::string why_not;
    cublas = Cublas::create(stream, why_not);
    INFO(why_not);
    REQUIRE(cublas != nullptr);
  }
  void finish() const { gpu::check(cudaStreamSynchronize(stream), "test"); }
};

gemm::Problem problem(const Shape& shape, const char* layout, gemm::DataType type) {
  Options options;
  options.layout = layout;
  options.dtype = type;
  return problem_of(options, shape);
}

std::vector<cudaGraphEdgeData> edges_of(cudaGraph_t graph) {
  std::vector<cudaGraphNode_t> from(16), to(16);
  std::vector<cudaGraphEdgeData> edges(16);
  std::size_t count = edges.size();
#if CUDART_VERSION >= 13000
  const auto get = cudaGraphGetEdges;
#else
  const auto get = cudaGraphGetEdges_v2;
#endif
  gpu::check(get(graph, from.data(), to.data(), edges.data(), &count), "edges");
  edges.resize(count);
  return edges;
}

double median_of(TimedWork& work, int rounds) {
  for (int i = 0; i < rounds; ++i) work.sample();
  return estimate(work.samples()).median;
}

// What a run makes of poisoned C.
template <class Run>
Verdict judged(Trial& trial, const Run& run) {
  trial.device().reset_c();
  run();
  return trial.judge();
}

}  // namespace

TEST_CASE("cuBLAS computes our problem: majors, ragged sizes, both types") {
  const Board board;
  for (const auto type : {gemm::DataType::kBf16, gemm::DataType::kFp16}) {
    for (const char* layout : {"tn", "nn", "nt", "tt"}) {
      for (const Shape& shape : {Shape{256, 256, 256}, Shape{200, 264, 328}, Shape{129, 65, 33}}) {
        for (const auto values : {gemm::Values::kUniform, gemm::Values::kIntegers}) {
          CAPTURE(layout, shape.text(), static_cast<int>(type), static_cast<int>(values));
          Trial trial(problem(shape, layout, type), values, {});
          const gemm::Problem& p = trial.device().problem();
          const Plan by_default = board.cublas->default_gemm(p);
          const Verdict verdict =
              judged(trial, [&] { by_default.run(board.stream), board.finish(); });
          CHECK(verdict.rel_err < 0.01);  // it may add partial sums in 16 bits
          CHECK(judged(trial, [&] { board.cublas->compute_precisely(p); }).ok);
        }
      }
    }
  }
}

TEST_CASE("what cublasLt proposes is right, and the best is at least as fast as the default") {
  Board board;
  const Shape shape{2048, 2048, 2048};
  Trial trial(problem(shape, "tn", gemm::DataType::kBf16), gemm::Values::kUniform,
              [&](const gemm::Problem& p) { board.cublas->compute_precisely(p); });
  const gemm::Problem& p = trial.device().problem();
  const auto proposals = board.cublas->proposals(p);
  CHECK(proposals.size() >= 2);
  for (const auto& proposal : proposals) {
    const Plan plan = board.cublas->lt_gemm(p, proposal);
    CHECK(judged(trial, [&] { plan.run(board.stream), board.finish(); }).ok);
  }
  const auto best = find_best(*board.cublas, {p}, board.stream, [](int, int) {});
  REQUIRE(best != nullptr);
  const TimingConfig config;
  TimedWork by_default({board.cublas->default_gemm(p)}, config, board.stream);
  TimedWork by_best({board.cublas->lt_gemm(p, best)}, config, board.stream);
  for (const Turn& turn : turns({1, 1}, 9, 1e9)) {
    (turn.kernel == 0 ? by_default : by_best).sample();
  }
  CHECK(estimate(by_best.samples()).median <= 1.02 * estimate(by_default.samples()).median);
}

TEST_CASE("cuBLAS launches without programmatic dependence") {
  const Board board;
  for (const std::int64_t size : {512, 1024, 2048}) {
    const Shape shape{size, size, size};
    Trial trial(problem(shape, "tn", gemm::DataType::kBf16), gemm::Values::kUniform, {});
    const gemm::Problem& p = trial.device().problem();
    std::vector<Plan> plans = {board.cublas->default_gemm(p)};
    for (const auto& algorithm : board.cublas->proposals(p)) {
      plans.push_back(board.cublas->lt_gemm(p, algorithm));
    }
    for (const Plan& plan : plans) {
      // Two launches in a graph: how does the second depend on the first?
      gpu::check(cudaStreamBeginCapture(board.stream, cudaStreamCaptureModeThreadLocal), "begin");
      plan.run(board.stream), plan.run(board.stream);
      cudaGraph_t graph = nullptr;
      gpu::check(cudaStreamEndCapture(board.stream, &graph), "end");
      const std::vector<cudaGraphEdgeData> edges = edges_of(graph);
      CHECK(!edges.empty());
      for (const auto& edge : edges) CHECK(edge.type == cudaGraphDependencyTypeDefault);
      gpu::check(cudaGraphDestroy(graph), "destroy");
    }
  }
}

TEST_CASE("a second opinion finds what is wrong in an entry that was not sampled") {
  Board board;
  Trial trial(problem({2048, 2048, 1024}, "tn", gemm::DataType::kBf16), gemm::Values::kUniform,
              [&](const gemm::Problem& p) { board.cublas->compute_precisely(p); });
  const gemm::Problem& p = trial.device().problem();
  for (int i = 0; i < 16; ++i) {
    const std::int64_t row = 301 + 97 * i, col = 211 + 89 * i;
    const Verdict verdict = judged(trial, [&] {
      board.cublas->compute_precisely(p);
      const std::uint16_t wrong = 0x4300;  // 128 in bf16
      gpu::copy_to_device(static_cast<std::uint16_t*>(p.c) + row * p.ldc + col, &wrong,
                          sizeof wrong);
    });
    CHECK_FALSE(verdict.ok);
  }
}

TEST_CASE("the ceilings are near what arithmetic allows") {
  Board board;
  std::vector<std::string> probes;
  const Ceilings ceilings = measure_ceilings(
      {}, 3, board.stream, [&](const std::string& what) { probes.push_back(what); });
  int khz = 0;
  gpu::check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0), "clock rate");
  const Device device = backend::device();
  const double per_flop = 1e-6 * gpu::sm_count() * khz;          // GFLOPS, one a clock on every SM
  const int lanes = device.compute_capability == 80 ? 64 : 128;  // fp32 units of one SM
  const double most = 2.0 * lanes * per_flop;
  REQUIRE(ceilings.ffma.has_value());
  CAPTURE(*ceilings.ffma, most);
  CHECK(*ceilings.ffma > 0.75 * most);
  CHECK(*ceilings.ffma < 1.03 * most);
  REQUIRE(ceilings.mma_sync.has_value());
  CAPTURE(*ceilings.mma_sync);
  CHECK(*ceilings.mma_sync > 1.5 * *ceilings.ffma);  // twice on a GeForce, 16 times on an A100
  REQUIRE(ceilings.wgmma.has_value() == (device.compute_capability == 90));
  if (ceilings.wgmma) {
    CAPTURE(*ceilings.wgmma);
    CHECK(*ceilings.mma_sync < *ceilings.wgmma);     // these units are made for warpgroups
    CHECK(*ceilings.wgmma > 0.6 * 4096 * per_flop);  // the power cap takes its share
    CHECK(*ceilings.wgmma < 1.03 * 4096 * per_flop);
  }
  REQUIRE(ceilings.copy_gbs.has_value());
  CAPTURE(*ceilings.copy_gbs);
  CHECK(*ceilings.copy_gbs > 100);
  CHECK(*ceilings.copy_gbs < 20000);
}

TEST_CASE("graph and plain launches compute the same on every set of operands") {
  Board board;
  const gemm::Problem shape = problem({256, 256, 256}, "tn", gemm::DataType::kBf16);
  Trial trial(shape, gemm::Values::kUniform, {});
  DeviceProblem other(trial.host()), third(trial.host());
  std::vector<Plan> plans;
  for (DeviceProblem* set : {&trial.device(), &other, &third}) {
    plans.push_back(board.cublas->default_gemm(set->problem()));
    plans.back().run(board.stream);
  }
  board.finish();
  TimingConfig plain;
  plain.graphs = false;
  for (const TimingConfig& config : {TimingConfig{}, plain}) {
    TimedWork work(plans, config, board.stream);
    CHECK(work.graph() == config.graphs);
    CHECK(work.buffers() == 3);
    for (DeviceProblem* set : {&trial.device(), &other, &third}) set->reset_c();
    work.launch(work.buffers());
    board.finish();
    for (DeviceProblem* set : {&trial.device(), &other, &third}) CHECK(trial.judge(*set).ok);
    CHECK(median_of(work, 3) > 0);
  }
}

TEST_CASE("a burst can be measured twice; sustained is no faster") {
  Board board;
  Trial trial(problem({4096, 4096, 4096}, "tn", gemm::DataType::kBf16), gemm::Values::kUniform, {});
  const Plan plan = board.cublas->default_gemm(trial.device().problem());
  plan.run(board.stream);
  TimedWork first({plan}, {}, board.stream), second({plan}, {}, board.stream);
  const double one = median_of(first, 9), other = median_of(second, 9);
  CAPTURE(one, other);
  CHECK(std::fabs(one - other) < 0.01 * one);
  TimedWork sustained({plan}, {.mode = Mode::kSustained}, board.stream);
  sustained.sample();
  CHECK(sustained.samples().size() >= 5);
  CHECK(estimate(sustained.samples()).median > 0.97 * one);
}

TEST_CASE("sets of operands outgrow the L2 cache") {
  CHECK(sets_beyond_l2(100e6, 50e6) == 1);
  CHECK(sets_beyond_l2(25e6, 50e6) == 4);
  CHECK(sets_beyond_l2(0, 50e6) == 1);
  CHECK(sets_beyond_l2(100e6, 50e6, true) == 2);
}
