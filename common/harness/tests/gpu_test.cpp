// What only a GPU can show: what cublasLt proposes is right, and time can be measured twice.

#include <test/catch.hpp>

#include <harness/job.hpp>
#include <harness/timing.hpp>

#include <cstdint>

namespace {

using namespace harness;

struct Board {
  OwnStream stream;
  Cublas cublas{stream};
  SecondOpinion opinion = [this](const gemm::Problem& p) { cublas.compute_precisely(p); };
};

// One problem, N x N x N, on so many sets of operands.
struct Square : Trial {
  explicit Square(std::int64_t n, const SecondOpinion& second = {}, int sets = 1)
      : Trial(problem_of({}, {n, n, n}), gemm::Values::kUniform, second, sets) {}
};

double median_of(TimedWork& work, int rounds) {
  for (int i = 0; i < rounds; ++i) work.sample();
  return estimate(work.samples()).median;
}

}  // namespace

TEST_CASE("what cublasLt proposes is right, and the best is at least as fast as the default") {
  const Board board;
  const Square trial(2048, board.opinion);
  const auto sets = trial.problems();
  const auto proposals = board.cublas.proposals(sets);
  CHECK(proposals.size() >= 2);
  for (const auto& plans : proposals) CHECK(trial.run(plans.front(), board.stream).ok());
  const auto best = board.cublas.best(sets);
  REQUIRE(best.size() == 1);
  TimedWork by_default({board.cublas.default_gemm(sets[0])}, {}, board.stream);
  TimedWork by_best(best, {}, board.stream);
  for (const Turn& turn : turns({1, 1}, 9, 1e9)) {
    (turn.kernel == 0 ? by_default : by_best).sample();
  }
  CHECK(estimate(by_best.samples()).median <= 1.02 * estimate(by_default.samples()).median);
  // The second opinion finds what is wrong in an entry that was not sampled.
  board.opinion(sets[0]);
  CHECK(trial.judge().ok());
  const std::uint16_t wrong = 0x4380;  // 256 in bf16
  gpu::copy_to_device(static_cast<std::uint16_t*>(sets[0].c) + 301 * 2048 + 211, &wrong,
                      sizeof wrong);
  CHECK_FALSE(trial.judge().ok());
}

TEST_CASE("graph and plain launches compute the same on every set of operands") {
  const Board board;
  const bool graphs = GENERATE(true, false);
  const Square trial(256, {}, 3);
  std::vector<Plan> plans;
  for (const gemm::Problem& p : trial.problems()) {
    plans.push_back(board.cublas.default_gemm(p));
    plans.back().run(board.stream);
  }
  TimedWork work(plans, {.graph_below_ms = graphs ? 0.1 : 0}, board.stream);
  CHECK(work.graph() == graphs);
  CHECK(work.buffers() == 3);
  for (std::size_t set = 0; set < 3; ++set) trial.device(set).reset_c();
  work.launch(work.buffers());
  for (std::size_t set = 0; set < 3; ++set) CHECK(trial.judge(set).ok());
  CHECK(median_of(work, 3) > 0);
}

TEST_CASE("a burst can be measured twice; sustained is no faster") {
  const Board board;
  const Square trial(4096);
  const Plan plan = board.cublas.default_gemm(trial.device().problem());
  plan.run(board.stream);
  TimedWork first({plan}, {}, board.stream), second({plan}, {}, board.stream);
  const double one = median_of(first, 9);
  CHECK(median_of(second, 9) == Approx(one).epsilon(0.01));
  TimedWork sustained({plan}, {.sustained = true}, board.stream);
  CHECK(median_of(sustained, 1) > 0.97 * one);
  CHECK(sustained.samples().size() >= 5);
}
