#pragma once
// What a kernel is compiled for: the shape of its tiles, and how it goes about them.

#include "cluster.cuh"
#include "operand_tile.cuh"
#include "ring.cuh"

#include <core/modes.hpp>

#include <algorithm>

namespace every_shape {

// How results leave the registers.
//   kDirect  by the threads' own stores, of 128 or 64 bits where B's rows are permuted
//   kTma     by stmatrix into boxes in shared memory, which TMA stores
enum class Store { kDirect, kTma };

// A block computes BM x BN of C, each of its consumer warpgroups BM / kConsumers rows of it, by
// MMAs of 64 x MMA_N. kStages: 0 for as many as shared memory has room for. What follows the sizes
// is the usual way; the templates below change one thing each:
// InFlight<Immediate<Direct<Tile<64, 128, 8, 1>>>>.
template <int BM_, int BN_, int kStages_ = 0, int kConsumers_ = BM_ == 256 ? 2 : BM_ / 64,
          int MMA_N_ = BN_>
struct Tile {
  static constexpr int BM = BM_, BN = BN_, BK = 64, kStages = kStages_, kConsumers = kConsumers_;
  static constexpr int MMA_N = MMA_N_;
  static constexpr int CM = 1, CN = 1;  // blocks in a cluster, along M and along N
  static constexpr auto kMajorA = core::Major::kK, kMajorB = core::Major::kK;
  static constexpr Rows kRows = Rows::kPlain;  // of B
  static constexpr Store kStore = Store::kTma;
  static constexpr bool kDeferred = true;  // a tile is stored while the next one is multiplied
  static constexpr int kMmasInFlight = 0;  // 1: a k-tile's MMAs are waited for in the next one
  static constexpr bool kTransposed = false;
  static constexpr bool kPingPong = false;  // two consumers have a tile each, and take turns
  static constexpr bool kStreamK = false;   // clusters share out k-tiles of some of the tiles
  static constexpr int kSplitK = 1;  // blocks of a cluster share out the k-tiles of its tiles
  static constexpr int kSubtilesOfMma = 0, kExchangedFloats = 0;  // kSplitK > 1
};

// The least divisor of `number` that is no less than `least`; `number` if there is none.
constexpr int divisor_from(int number, int least) {
  while (least < number && number % least != 0) ++least;
  return std::min(number, least);
}

template <class Base>
struct Immediate : Base {
  static constexpr bool kDeferred = false;
};
template <class Base>
struct Direct : Base {
  static constexpr Rows kRows = Rows::kPermuted;
  static constexpr Store kStore = Store::kDirect;
};
// Computes C^T = B A^T: what is said of A, B, M and N holds for B, A, N and M. A tile of C may have
// as many rows then as wgmma has columns.
template <class Base>
struct Transposed : Base {
  static constexpr bool kTransposed = true;
  static constexpr Rows kRows = Rows::kPlain;
  static constexpr Store kStore = Store::kTma;
};
template <class Base>
struct PlainRows : Base {
  static constexpr Rows kRows = Rows::kPlain;
};
// Three consumers cover each other's gaps: with MMAs in flight they would only keep stages longer.
template <class Base>
struct InFlight : Base {
  static constexpr int kMmasInFlight = Base::kConsumers < 3 ? 1 : 0;
};
template <int CM_, int CN_, class Base>
struct Clustered : Base {
  static constexpr int CM = CM_, CN = CN_;
};
// One consumer multiplies while the other stores. kConsumers = 2.
template <class Base>
struct PingPong : Base {
  static constexpr bool kPingPong = true;
};
template <class Base>
struct StreamK : Base {
  static constexpr bool kStreamK = true;
};
// The blocks that have parts of a tile's sums each add up some of its subtiles: there are as many
// of these as blocks, if that is possible.
template <int kParts, class Base>
struct SplitK : Base {
  static constexpr int kSplitK = kParts;
  static constexpr int kUnit = Base::kStore == Store::kTma ? 16 : 4 * permuted_run(Base::BN);
  static constexpr int kSubtilesOfMma =
      divisor_from(Base::MMA_N / kUnit, std::max(kParts, Base::MMA_N / 64));
  static constexpr int kSubtiles =  // of a consumer
      Base::BM / 64 / Base::kConsumers * (Base::BN / Base::MMA_N) * kSubtilesOfMma;
  static constexpr int kMostSums = (kSubtiles + kParts - 1) / kParts;  // subtiles that a block adds
  static constexpr int kExchangedFloats =
      (kParts - 1) * kMostSums * (Base::BM * Base::BN / kSubtiles);
};
template <core::Major kMajorA_, core::Major kMajorB_, class Base>
struct Majors : Base {
  static constexpr auto kMajorA = kMajorA_, kMajorB = kMajorB_;
};

// Where a block has one tile of C there is nothing to defer to, and a single consumer has to keep
// the tensor cores busy by itself.
template <class Base>
using AtOnce = InFlight<Immediate<Direct<Base>>>;

// Members of the family: stored at once, or deferred, by the threads or by TMA.
template <int BM, int BN, int MMA_N = BN>
using StoredAtOnce = AtOnce<Tile<BM, BN, 0, Tile<BM, BN>::kConsumers, MMA_N>>;
template <int BM, int BN>
using Deferred = Direct<Tile<BM, BN>>;
template <int BM, int BN>
using DeferredByTma = Tile<BM, BN>;
template <int BM, int BN, int CM = 1, int CN = 1, int MMA_N = BN>
using AtOnceByTma =
    InFlight<Immediate<Clustered<CM, CN, Tile<BM, BN, 0, Tile<BM, BN>::kConsumers, MMA_N>>>>;
template <int BM, int BN, int CM = 1, int CN = 1, int MMA_N = BN>
using TransposedAtOnce = Transposed<AtOnceByTma<BM, BN, CM, CN, MMA_N>>;

// Ping-pong, stored by the threads or by TMA.
template <int BM, int BN, int CM = 1, int CN = 1>
using PingPongDirect = PingPong<AtOnce<Clustered<CM, CN, Tile<BM, BN, 0, 2>>>>;
template <int BM, int BN, int CM = 1, int CN = 1>
using PingPongByTma = PingPong<InFlight<Immediate<Clustered<CM, CN, Tile<BM, BN, 0, 2>>>>>;

// The boxes in shared memory by which a consumer stores its results by TMA: 64 rows of C by `cols`,
// or, transposed, `cols` by 64. An MMA's columns leave in `parts` of them, of which the last ends
// with the MMA: it may have some columns that the one before has, too.
struct BoxShape {
  int parts = 1, cols = 0;
  int count = 0;  // boxes that are filled in turn
  bool swizzled = true;
};

// Bytes of shared memory for stages, where a block has such boxes: not for barriers, for what an
// EpilogueOp reads, or for what other blocks send of split-K's sums.
template <class Choice>
constexpr int bytes_for_stages(const BoxShape& box) {
  constexpr int kBarriers = 512;
  constexpr int kColumn = Choice::kTransposed ? 0 : Choice::kConsumers * Choice::BN * 2;
  constexpr int kRest = kBarriers + kColumn + Choice::kExchangedFloats * 4;
  return 227 * 1024 - kRest - Choice::kConsumers * box.count * 64 * box.cols * 2;
}
template <class Choice>
constexpr int stages_that_fit(const BoxShape& box) {
  constexpr int kHeldB = held_rows(Choice::BN, Choice::kMajorB);
  return bytes_for_stages<Choice>(box) / ((Choice::BM + kHeldB) * Choice::BK * 2);
}

template <class Choice>
constexpr BoxShape box_shape() {
  constexpr int N = Choice::MMA_N;
  constexpr bool kTransposed = Choice::kTransposed, kParted = Choice::kSplitK > 1;
  if (Choice::kStore != Store::kTma) return {};
  const auto in_parts = [](int parts, int boxes) -> BoxShape {
    const int even = ((N + parts - 1) / parts + 7) / 8 * 8;
    return {parts, kTransposed ? even : 64, std::min(boxes, parts)};
  };
  const int most = kTransposed && !Choice::kDeferred ? 128 : 64;  // columns of a part
  const int fewest = kParted ? Choice::kSubtilesOfMma : (N + most - 1) / most;
  // One box if it is free again by then: deferred, parts are a k-tile apart, and of consumers that
  // take turns one stores while the other multiplies.
  BoxShape box = in_parts(fewest, Choice::kDeferred || Choice::kPingPong ? 1 : 2);
  // Rows of an odd number of 16 bytes begin in other banks, all eight of them, without a swizzle.
  if (!kTransposed && !Choice::kDeferred && !kParted && N % 16 == 8) box = {1, N, 1, false};
  // Less for C where that gives the ring a fifth stage, or a fourth. What eight blocks load
  // together is under way for longest: there up to an eighth stage.
  constexpr int kEnough = Choice::CM > 1 && Choice::CN > 1 && Choice::CM * Choice::CN == 8 ? 8 : 5;
  const BoxShape small = in_parts(kTransposed && !kParted ? std::max(fewest, 2) : fewest, 1);
  const int stages = stages_that_fit<Choice>(box);
  return stages < kEnough && stages_that_fit<Choice>(small) > stages ? small : box;
}

// What follows from it.
template <class Choice>
struct Config : Choice {
  using Choice::BM, Choice::BN, Choice::BK, Choice::kConsumers, Choice::MMA_N;
  static constexpr int MMA_M = 64, MMA_K = 16;
  static constexpr int kTileConsumers = Choice::kPingPong ? 1 : kConsumers;  // that share a tile
  static constexpr int WM = BM / kTileConsumers, kAtoms = WM / MMA_M, kCols = BN / MMA_N;
  static constexpr int kThreads = (1 + kConsumers) * 128;
  using Cluster = every_shape::Cluster<Choice::CM, Choice::CN, Choice::kSplitK>;
  static constexpr int kClusterSize = Cluster::kSize;
  static constexpr bool kSharesOnlyA = Choice::CM == 1 && Choice::CN > 1;
  // A thread may have 65536 / kThreads registers, in multiples of 8. The producer needs next to
  // none, a few more if it addresses peer CTAs, and may have 40 then. Three consumers that defer
  // their stores need eight of these.
  static constexpr int kProducerRegisters = !Cluster::kMulticast                   ? 24
                                            : kConsumers == 3 && Choice::kDeferred ? 32
                                                                                   : 40;
  static constexpr int kConsumerRegisters =
      std::min(240, (65536 / 128 - kProducerRegisters) / kConsumers / 8 * 8);
  static constexpr BoxShape kBox = box_shape<Choice>();
  // Twelve at most: loads that far ahead hide every latency there is.
  static constexpr int kStages = Choice::kStages > 0 ? Choice::kStages
                                                     : std::min(12, stages_that_fit<Choice>(kBox));
  static constexpr int kAccumulators = kAtoms * kCols * MMA_N / 2;  // of a thread
  static_assert(BM % (kTileConsumers * MMA_M) == 0 && BN % MMA_N == 0 && BK % MMA_K == 0);
  static_assert(Choice::kRows == Rows::kPlain || MMA_N % (4 * permuted_run(BN)) == 0);
  static_assert(Choice::kMmasInFlight <= 1 && kStages > Choice::kMmasInFlight);
  static_assert(!(Choice::kStreamK || Choice::kSplitK > 1) || !Choice::kDeferred);
  static_assert(!Choice::kDeferred || kConsumers < 3 || kConsumerRegisters == 160);  // or spills
  static_assert(!Choice::kStreamK || Choice::kSplitK == 1);
  static_assert(!Choice::kPingPong || (kConsumers == 2 && !Choice::kDeferred));
  static_assert(!Choice::kPingPong || (!Choice::kStreamK && Choice::kSplitK == 1));
  static_assert(Choice::kMajorB == core::Major::kK || kCols == 1 || MMA_N % 64 == 0);

  static constexpr bool kMayBeOutside = Cluster::kMulticast;
  using TileA = OperandTile<BM, Rows::kPlain, Cluster::CN, Choice::kMajorA, kMayBeOutside>;
  using TileB = OperandTile<BN, Choice::kRows, Cluster::CM, Choice::kMajorB, kMayBeOutside>;
  using Ring = every_shape::Ring<kStages, kTileConsumers, Cluster>;
  // Neighbouring elements of a row of C that a thread has.
  static constexpr int kStoreWidth = Choice::kRows == Rows::kPermuted ? permuted_run(BN) : 2;
};

// Whether a thread of a consumer needs more than an equal share of the registers: for its
// accumulators, for results that wait, rounded, for their turn, and for 40 other things.
template <class Config, class Op>
inline constexpr bool kMovesRegisters =
    (Config::kDeferred || Op::kReadsC ? 3 : 2) * Config::kAccumulators / 2 +
        (Op::kReadsColumn ? 72 : 40) >
    65536 / Config::kThreads;

// Large tiles of single blocks: the MMAs of their stages take longer than producers wait for each
// other (Pace).
template <class Config>
inline constexpr bool kMayLockStep =
    Config::kClusterSize == 1 && !Config::kStreamK && Config::BM * Config::BN >= 128 * 136;
// They wait whenever they have loaded so many k-tiles.
template <class Config>
inline constexpr int kLockStepPeriod = (1 << 17) / (Config::BM * Config::BN);

// Where all tiles are under way at once, blocks without a cluster may lie in the grid as their
// tiles lie in C: (row in a group, column, group). Nothing need be calculated before the first
// load.
template <class Config>
inline constexpr bool kMayTakeTileFromGrid = !Config::Cluster::kMulticast && !Config::kStreamK;

}  // namespace every_shape
