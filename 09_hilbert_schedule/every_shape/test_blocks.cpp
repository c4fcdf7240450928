// Results on their way to C, over tiles with few k-tiles and many, by fewer blocks than a plan
// would take.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "plan.cuh"

#include <gemm/inputs.hpp>
#include <runtime/counters.hpp>
#include <test/catch.hpp>
#include <test/device_array.hpp>
#include <test/every_variant.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace every_shape;

namespace {

using test::Case, test::packed, test::with_ldc;

using Two = Tile<128, 128, 3, 2>;          // subtiles: 2 for each consumer
using Four = Tile<128, 128, 3, 1>;         // 4
using Twelve = Tile<128, 384, 2, 1, 192>;  // 12, and two boxes of B
using Slim = Tile<64, 64, 4, 1>;           // 1
using Odd = Tile<128, 80, 3, 2>;           // 5, B's rows permuted in groups of 16

template <class C, class Op>
void check_by_few(test::Trial& trial, std::size_t turn, const LaunchPolicy& policy, const Op& op) {
  const auto problem = C::kTransposed ? transposed(trial.problem()) : trial.problem();
  const auto g = gemm::typed_operands<core::bf16>(problem);
  test::try_by_few(trial, prepare<core::bf16, C>(g, policy, op), turn,
                   [](auto& plan, unsigned clusters) { plan.assign_to(clusters); });
}
template <class C>
void check_blocks(const std::vector<Case>& cases, const LaunchPolicy& policy = {}) {
  std::size_t turn = 0;
  for (const Case& c : cases) {
    INFO(label(c));
    test::Trial trial(c);
    check_by_few<C>(trial, turn++, policy, gemm::Identity{});
  }
}
// Calls use(op) with an EpilogueOp for an epilogue, if this Config takes it; of a bias a plain one.
template <class C, class Use>
void with_epilogue_op(const gemm::Epilogue& wanted, const Use& use) {
  if (wanted.kind == gemm::EpilogueKind::kBias) {
    use(gemm::Bias<core::bf16>{static_cast<const core::bf16*>(wanted.bias)});
  } else if (!wanted.reads_c()) {
    use(Linear<core::bf16>(wanted));
  } else if constexpr (!C::kTransposed) {
    use(gemm::AlphaBeta{wanted.alpha, wanted.beta});
  }
}
// The same with epilogues of every kind, those that read C for C alone.
template <class C>
void check_epilogues(const std::vector<Case>& cases) {
  using enum gemm::EpilogueKind;
  std::size_t turn = 0;
  for (const gemm::Epilogue& epilogue :
       {gemm::Epilogue{kAlphaBeta, 2.0f, -1.0f}, gemm::Epilogue{kAlphaBeta, 3.0f, 0.0f},
        gemm::Epilogue{kBias}, gemm::Epilogue{kBiasRelu}, gemm::Epilogue{kBiasGelu},
        gemm::Epilogue{kBiasSilu}}) {
    for (Case c : cases) {
      c.problem.epilogue = epilogue;
      INFO(label(c));
      test::Trial trial(c);
      with_epilogue_op<C>(trial.problem().epilogue, [&](const auto& op) {
        check_by_few<C>(trial, turn, {.group_rows = 2}, op);
      });
      ++turn;
    }
  }
}

// 0 to 5 k-tiles, the last of them not whole.
std::vector<Case> few_k_tiles(std::int64_t m, std::int64_t n) {
  std::vector<Case> out;
  for (const std::int64_t k : {0, 64, 104, 192, 232, 320}) out.push_back(packed(m, n, k));
  return out;
}

Case along_mn(std::int64_t m, std::int64_t n, std::int64_t k, bool a, bool b) {
  Case c = packed(m, n, k);
  if (a) c.problem.a_major = core::Major::kMn, c.problem.lda = (m + 7) / 8 * 8;
  if (b) c.problem.b_major = core::Major::kMn, c.problem.ldb = (n + 7) / 8 * 8;
  return c;
}

// Blocks of a cluster in 32 orders: in some of them one lags far behind.
template <class C>
void check_seeds(const Case& c) {
  test::Trial trial(c);
  const auto plan = prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(trial.problem()), {});
  for (int seed = 1; seed <= 32; ++seed) {
    test::set_policy("random:" + std::to_string(seed));
    INFO("seed " << seed);
    trial.reset_c();
    plan.run(gpu::Stream{});
    gpu::synchronize();
    CHECK(trial.complaints() == std::vector<std::string>{});
  }
}

// Of TMA what it fills with zeros would be in shared memory, and not among what it has read.
template <class C>
void check_reads_all_it_loads(std::int64_t m, std::int64_t n) {
  test::Trial trial(packed(m, n, 192));
  const auto problem = C::kTransposed ? transposed(trial.problem()) : trial.problem();
  const auto plan = prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(problem), {});
  runtime::reset_counters();
  plan.run(gpu::Stream{});
  std::map<std::string, double> counted;
  for (const auto& [name, value] : runtime::read_counters()) counted[name] = value;
  CHECK(counted["tma_load_bytes"] > 0);
  CHECK(counted["tma_load_bytes"] == counted["tma_shared_bytes"]);
}

}  // namespace

TEST_CASE("every_shape: as many subtiles as k-tiles, fewer and more") {
  check_blocks<Config<Two>>(few_k_tiles(264, 200), {.group_rows = 2});
  check_blocks<Config<Four>>(few_k_tiles(136, 200), {.rasterization = Rasterization::kColumns});
  check_blocks<Config<Twelve>>({packed(264, 72, 0), packed(264, 400, 136)});
  check_blocks<Config<Immediate<Two>>>(few_k_tiles(264, 72),
                                       {.rasterization = Rasterization::kGroups});
  check_blocks<Config<Slim>>(few_k_tiles(136, 136), {.group_rows = 1});
}

TEST_CASE("every_shape: TMA loads no row outside of operands along K that are not permuted") {
  check_reads_all_it_loads<Config<Two>>(130, 200);
  check_reads_all_it_loads<Config<TransposedAtOnce<64, 96>>>(130, 200);
  check_reads_all_it_loads<Config<Slim>>(1, 72);
}

TEST_CASE("every_shape: one k-tile in flight, in clusters too") {
  check_blocks<Config<InFlight<Two>>>(few_k_tiles(200, 200));
  check_blocks<Config<InFlight<Clustered<2, 1, Slim>>>>(few_k_tiles(328, 136), {.group_rows = 2});
  check_blocks<Config<Clustered<1, 2, Slim>>>({packed(200, 664, 72), packed(328, 136, 136)});
  check_blocks<Config<Clustered<2, 2, Slim>>>({packed(200, 264, 136), packed(328, 72, 64)},
                                              {.rasterization = Rasterization::kRows});
}

TEST_CASE("every_shape: stored by the threads, next to a fallback for any N") {
  const std::vector<Case> permuted = {packed(264, 160, 0), packed(264, 160, 64),
                                      packed(264, 416, 136)};
  check_blocks<Config<Direct<Two>>>(permuted, {.group_rows = 2});
  // N that ends within a group of rows, and within the first box.
  const std::vector<Case> ragged = {packed(264, 152, 136), packed(72, 8, 64), packed(200, 328, 328),
                                    with_ldc(packed(136, 88, 72), 96)};
  check_blocks<Config<Direct<Two>>>(ragged);
  check_blocks<Config<Direct<Odd>>>(ragged, {.group_rows = 2});
  check_blocks<Config<AtOnce<Odd>>>(ragged);
  check_blocks<Config<Clustered<2, 1, AtOnce<Slim>>>>(ragged);
  check_blocks<Config<Immediate<Direct<Twelve>>>>(permuted);
  check_blocks<Config<PlainRows<Direct<Two>>>>(
      {packed(264, 131, 0), packed(264, 131, 104), with_ldc(packed(264, 200, 136), 203),
       with_ldc(packed(136, 258, 328), 260)},
      {.group_rows = 1});
}

TEST_CASE("every_shape: tiles of the transpose of C") {
  const std::vector<Case> cases = {packed(75, 200, 0), packed(200, 264, 136), packed(81, 136, 328),
                                   with_ldc(packed(136, 88, 72), 96)};
  check_blocks<Config<Transposed<AtOnce<Two>>>>(cases);
  check_blocks<Config<Transposed<AtOnce<Odd>>>>(cases);
  // Deferred, in subtiles of 48 columns.
  check_blocks<Config<Transposed<Tile<64, 144, 3, 1>>>>(cases);
  check_blocks<Config<Transposed<Clustered<2, 1, Tile<64, 144, 3, 1>>>>>(cases);
  check_blocks<Config<Transposed<AtOnce<Clustered<1, 2, Slim>>>>>(cases);
  // Five boxes by four blocks.
  check_blocks<Config<Transposed<AtOnce<Clustered<4, 2, Odd>>>>>(cases);
}

template <class Choice>
void check_box(int parts, int cols, int count, bool swizzled, int stages) {
  using Chosen = Config<Choice>;
  CAPTURE(Choice::BM, Choice::BN, Choice::kTransposed);
  CHECK(Chosen::kBox.parts == parts);
  CHECK(Chosen::kBox.cols == cols);
  CHECK(Chosen::kBox.count == count);
  CHECK(Chosen::kBox.swizzled == swizzled);
  CHECK(Chosen::kStages == stages);
  CHECK(sizeof(SharedStorage<core::bf16, Chosen>) <= 227 * 1024);
}

TEST_CASE("every_shape: boxes by which C is stored, and stages beside them") {
  // Rows of 72 columns, 9 times 16 bytes, need no swizzle. 80 columns are two boxes of 64.
  check_box<AtOnceByTma<192, 72>>(1, 72, 1, false, 6);
  check_box<AtOnceByTma<64, 80>>(2, 64, 2, true, 11);
  check_box<PingPongByTma<128, 88>>(1, 88, 1, false, 7);
  check_box<DeferredByTma<128, 256>>(4, 64, 1, true, 4);
  // Up to 128 columns of the transpose leave at once.
  check_box<TransposedAtOnce<128, 104>>(1, 104, 1, true, 6);
  check_box<TransposedAtOnce<128, 144>>(2, 72, 2, true, 5);
  check_box<TransposedAtOnce<128, 200>>(2, 104, 2, true, 4);
  check_box<Transposed<DeferredByTma<128, 208>>>(4, 56, 1, true, 5);
  // One small box makes room for a fifth stage, or for a fourth.
  check_box<AtOnceByTma<192, 112>>(2, 64, 1, true, 5);
  check_box<TransposedAtOnce<192, 112>>(2, 56, 1, true, 5);
  check_box<TransposedAtOnce<192, 176>>(2, 88, 1, true, 4);
  check_box<TransposedAtOnce<128, 288, 2, 1, 144>>(2, 72, 1, true, 4);
  // In eight blocks that share A and B, for up to eight stages.
  check_box<TransposedAtOnce<128, 80, 2, 4>>(2, 40, 1, true, 8);
  check_box<TransposedAtOnce<128, 80, 1, 8>>(1, 80, 1, true, 7);
  check_box<AtOnceByTma<128, 112, 4, 2>>(2, 64, 1, true, 7);
  check_box<AtOnceByTma<64, 80, 4, 2>>(2, 64, 2, true, 11);
  check_box<StoredAtOnce<64, 64>>(1, 0, 0, true, 12);
  // What other blocks of split-K send takes room, too.
  check_box<SplitK<2, TransposedAtOnce<128, 128, 2, 2>>>(2, 64, 2, true, 5);

  const std::vector<Case> cases = {packed(75, 200, 0), packed(232, 264, 136)};
  check_blocks<Config<Immediate<Tile<64, 72, 3, 1>>>>(cases);
  check_blocks<Config<Immediate<Tile<128, 88, 3, 2>>>>(cases, {.group_rows = 2});
  check_blocks<Config<Transposed<Immediate<Tile<128, 104, 3, 2>>>>>(cases);
  // The last eight columns of the first box are the second's first.
  check_blocks<Config<Transposed<Immediate<Tile<64, 136, 3, 1>>>>>(cases);
  check_blocks<Config<Transposed<Immediate<Tile<64, 208, 3, 1, 104>>>>>(cases);
}

TEST_CASE("every_shape: consumers that take turns") {
  using Turns = PingPong<AtOnce<Two>>;  // 4 subtiles for each consumer
  check_blocks<Config<Turns>>(few_k_tiles(264, 200), {.group_rows = 2});
  check_blocks<Config<Turns>>({packed(520, 264, 776)}, {.reverse_k = false});
  using Slimmer = Tile<64, 48, 3, 2>;
  using ByTma = PingPong<InFlight<Immediate<Tile<64, 80, 3, 2>>>>;
  check_blocks<Config<ByTma>>(few_k_tiles(200, 200));
  check_blocks<Config<Transposed<ByTma>>>(few_k_tiles(75, 264));
  // In clusters each looks ahead, and its first k-tile is not the one that it has looked at.
  check_blocks<Config<PingPong<Clustered<2, 2, AtOnce<Slimmer>>>>>(few_k_tiles(328, 264));
  check_blocks<Config<Transposed<Clustered<1, 4, ByTma>>>>(few_k_tiles(200, 328));
  check_epilogues<Config<Turns>>({packed(200, 160, 0), packed(264, 416, 328)});
  check_epilogues<Config<Transposed<ByTma>>>({packed(75, 136, 0), packed(136, 200, 136)});
}

TEST_CASE("every_shape: every epilogue, over as many subtiles as k-tiles, fewer and more") {
  const std::vector<Case> permuted = {packed(200, 160, 0), packed(264, 160, 64),
                                      packed(264, 416, 328)};
  check_epilogues<Config<Direct<Two>>>(permuted);
  check_epilogues<Config<Direct<Odd>>>({packed(200, 152, 64), packed(136, 88, 328)});
  check_epilogues<Config<Immediate<Direct<Two>>>>(permuted);
  check_epilogues<Config<Two>>({packed(200, 200, 0), packed(264, 136, 328)});
  check_epilogues<Config<PlainRows<Direct<Two>>>>(
      {packed(200, 131, 0), packed(264, 131, 104), with_ldc(packed(136, 258, 328), 261)});
  // Boxes of C that overlap; tiles of the transpose, deferred and at once; two MMAs side by side.
  check_epilogues<Config<Immediate<Tile<64, 176, 3, 1>>>>({packed(72, 200, 104)});
  check_epilogues<Config<Transposed<Tile<64, 144, 3, 1>>>>({packed(75, 136, 328)});
  check_epilogues<Config<Transposed<AtOnce<Tile<128, 112, 3, 1>>>>>({packed(136, 200, 136)});
  check_epilogues<Config<Transposed<AtOnce<Tile<64, 160, 3, 1, 80>>>>>({packed(200, 72, 0)});
}

TEST_CASE("every_shape: operands contiguous along M or N") {
  using enum core::Major;
  for (const std::int64_t k : {0, 72, 328}) {
    check_blocks<Config<Majors<kMn, kK, Two>>>({along_mn(264, 200, k, true, false)});
    check_blocks<Config<Majors<kK, kMn, Two>>>({along_mn(200, 264, k, false, true)});
    check_blocks<Config<Majors<kMn, kMn, Two>>>({along_mn(136, 264, k, true, true)});
    check_blocks<Config<Majors<kMn, kMn, TransposedAtOnce<64, 32>>>>(
        {along_mn(72, 40, k, true, true)});
    // Boxes of fewer than 64 columns, by several blocks; 64 rows of which the tile needs 48.
    using Shared = Immediate<Clustered<4, 2, Tile<64, 112, 3, 1>>>;
    check_blocks<Config<Majors<kMn, kMn, Shared>>>({along_mn(328, 200, k, true, true)});
    check_blocks<Config<Majors<kK, kMn, Transposed<Shared>>>>({along_mn(200, 264, k, true, false)});
    // Half of the last group: of three, which four blocks load; of two, which two blocks load.
    using Five = Immediate<Clustered<4, 1, Tile<64, 160, 3, 1>>>;
    check_blocks<Config<Majors<kMn, kMn, Five>>>({along_mn(264, 200, k, true, true)});
    using Turns = PingPong<InFlight<Immediate<Clustered<2, 1, Tile<64, 96, 3, 2>>>>>;
    check_blocks<Config<Majors<kK, kMn, Transposed<Turns>>>>({along_mn(200, 264, k, true, false)});
    check_blocks<Config<Majors<kMn, kMn, Transposed<Turns>>>>({along_mn(200, 264, k, true, true)});
    using Parts = SplitK<2, InFlight<Immediate<Clustered<1, 2, Tile<64, 64, 5, 1>>>>>;
    check_blocks<Config<Majors<kK, kMn, Transposed<Parts>>>>({along_mn(136, 200, k, true, false)});
    check_blocks<Config<Majors<kMn, kMn, Transposed<Parts>>>>({along_mn(136, 200, k, true, true)});
  }
}

TEST_CASE("every_shape: a block outside of A and of B keeps in step with its peer CTAs") {
  using enum core::Major;
  using Tiny = Tile<64, 64, 2, 1>;  // rings of two stages, which go around 32 times
  const Case nt = along_mn(64, 64, 4104, true, true), nn = along_mn(64, 64, 4104, true, false);
  check_seeds<Config<Majors<kMn, kMn, Immediate<Clustered<2, 4, Tiny>>>>>(nt);
  check_seeds<Config<Majors<kMn, kK, AtOnce<Clustered<4, 2, Tiny>>>>>(nn);
}

TEST_CASE("every_shape: which tiles an epilogue gets") {
  std::vector<Case> cases;
  for (const std::int64_t m : {64, 2048}) {  // small tiles and wide ones
    cases.push_back(packed(m, 512, 72));
    cases.back().problem.epilogue = {gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f};
  }
  test::try_all(cases);
}

TEST_CASE("every_shape: split-K within a cluster") {
  using Slimmer = Tile<64, 48, 5, 1>;
  for (const std::int64_t k : {0, 64, 136, 328, 520}) {  // fewer k-tiles than parts, and more
    check_blocks<Config<SplitK<2, AtOnce<Slim>>>>({packed(136, 136, k)});
    check_blocks<Config<SplitK<4, AtOnce<Slim>>>>({packed(72, 136, k)});  // two have sums
    check_blocks<Config<SplitK<2, Clustered<2, 2, AtOnce<Two>>>>>({packed(200, 328, k)});
    check_blocks<Config<SplitK<3, Transposed<AtOnce<Slimmer>>>>>({packed(75, 200, k)});
    check_blocks<Config<SplitK<2, Transposed<Clustered<1, 2, AtOnce<Two>>>>>>({packed(75, 200, k)});
  }
  check_epilogues<Config<SplitK<3, PlainRows<AtOnce<Slim>>>>>({packed(72, 131, 328)});
  check_epilogues<Config<SplitK<2, AtOnce<Slim>>>>({packed(72, 136, 0), packed(72, 136, 64)});
  check_epilogues<Config<SplitK<3, Transposed<AtOnce<Slimmer>>>>>({packed(75, 136, 200)});
}

constexpr unsigned kStreamKClusters[] = {1, 2, 3, 5, 7, 60};

// By so many clusters: of stream-K several of them for a tile, several tiles for one, and with
// whole tiles behind those that are shared out. Workspaces are left as they were.
template <class C>
void check_with_workspace(const Case& c, std::size_t turn, bool in_lock_step = false) {
  INFO(label(c));
  test::Trial trial(c);
  const auto check = [&](const gemm::Problem& problem, const auto& op) {
    auto plan = prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(problem), {}, op);
    if (in_lock_step) plan.lock_step_from = 1;
    std::size_t most = 0;
    for (const unsigned clusters : kStreamKClusters) {
      plan.assign_to(clusters);
      most = std::max(most, plan.workspace_bytes());
    }
    const test::DeviceArray<std::byte> workspace(most, 0);
    const auto policies = test::policies_in_turn(harness::chapters().front(), turn);
    for (const unsigned clusters : kStreamKClusters) {
      plan.assign_to(clusters);
      for (const std::string& async : policies) {
        test::set_policy(async);
        INFO(async << ", " << clusters << " clusters");
        trial.reset_c();
        plan.run(gpu::Stream{}, workspace.data());
        gpu::synchronize();
        CHECK(trial.complaints() == std::vector<std::string>{});
        auto left = workspace.values();
        left.resize(std::min(left.size(), StreamKWorkspace::kFirstResult));
        CHECK(std::ranges::count(left, std::byte{0}) == std::ssize(left));
      }
    }
  };
  const gemm::Problem& given = trial.problem();
  with_epilogue_op<C>(given.epilogue, [&](const auto& op) {
    check(C::kTransposed ? transposed(given) : given, op);
  });
}

TEST_CASE("every_shape: producers in lock-step, over several tiles") {
  check_with_workspace<Config<Tile<128, 192>>>(packed(136, 392, 328), 0, true);
  check_with_workspace<Config<PingPongByTma<128, 192>>>(packed(264, 200, 392), 1, true);
}

TEST_CASE("every_shape: stream-K, by few blocks and many, in clusters, with every epilogue") {
  std::size_t turn = 0;
  for (const std::int64_t k : {0, 8, 136, 520, 776}) {
    for (const gemm::Epilogue& epilogue :
         {gemm::Epilogue{}, gemm::Epilogue{gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f},
          gemm::Epilogue{gemm::EpilogueKind::kBiasRelu}}) {
      Case c = k == 136 ? packed(200, 131, k) : packed(136, 200, k);
      c.problem.epilogue = epilogue;
      check_with_workspace<Config<StreamK<PlainRows<AtOnce<Slim>>>>>(c, turn++);
      check_with_workspace<Config<StreamK<PlainRows<AtOnce<Two>>>>>(c, turn++);
      Case of_transpose = packed(180, 136, k);
      of_transpose.problem.epilogue = epilogue;
      check_with_workspace<Config<StreamK<Transposed<AtOnce<Odd>>>>>(of_transpose, turn++);
    }
    check_with_workspace<Config<StreamK<Clustered<2, 1, AtOnce<Slim>>>>>(packed(328, 136, k),
                                                                         turn++);
  }
}

TEST_CASE(
    "every_shape: rings that go around several times, and every second tile from the end of K") {
  for (const bool reverse : {false, true}) {
    check_blocks<Config<Two>>({packed(264, 136, 776)}, {.reverse_k = reverse});
    check_blocks<Config<InFlight<Clustered<1, 2, Slim>>>>({packed(136, 200, 776)},
                                                          {.reverse_k = reverse});
  }
}
