// Chapter 04 beyond the contract: the layouts of fragments.hpp are what the PTX manual says in
// words, ldmatrix brings each thread what mma wants of it, and no access meets a bank twice.

#include "fragments.hpp"

#include <harness/chapter.hpp>
#include <layout/layout.hpp>

#include <gemm/thread_map.hpp>
#include <test/thread_map.hpp>

#include <set>

using namespace mma_ldmatrix;
using layout::at;

namespace {

// One of the chapter's blocks, as the kernel's configurations put it together.
template <int kBM, int kBN, int kBK, int kWarpsM_, int kWarpsN_, Major kMajorB_>
struct Block {
  static constexpr int BM = kBM, BN = kBN, BK = kBK, kWarpsM = kWarpsM_, kWarpsN = kWarpsN_;
  static constexpr int kThreads = 32 * kWarpsM * kWarpsN;
  static constexpr int WMITER = BM / (16 * kWarpsM), WNITER = BN / (16 * kWarpsN);
  static constexpr Major kMajorB = kMajorB_;
  using TileA = OperandTile<Major::kK, BM, BK>;
  using TileB = OperandTile<kMajorB, BN, BK>;
  using Mma = TiledMma<kWarpsM, kWarpsN>;
  using A = Fragment<TileA, Mma::kA, Major::kK>;
  using B = Fragment<TileB, Mma::kB, kMajorB>;
};

template <class Check>
void for_every_block(Check check) {
  check(Block<128, 256, 32, 2, 4, Major::kK>{});
  check(Block<128, 256, 32, 2, 4, Major::kMn>{});
  check(Block<64, 64, 64, 2, 2, Major::kK>{});
  check(Block<64, 64, 64, 2, 2, Major::kMn>{});
  check(Block<64, 64, 32, 2, 2, Major::kK>{});
  check(Block<64, 64, 32, 2, 2, Major::kMn>{});
}

// Where a thread stands: warps along M first.
struct Place {
  int group, pair, warp_row, warp_col;
};
template <class B>
Place place(int thread) {
  const int lane = thread % 32, warp = thread / 32;
  return {lane / 4, lane % 4, warp % B::kWarpsM, warp / B::kWarpsM};
}

template <class B>
int element_a(int row, int k) {
  return static_cast<int>(B::TileA::kElement(row + B::BM * k));
}
template <class B>
int element_b(int col, int k) {
  return static_cast<int>(B::TileB::kElement(col + B::BN * k));
}

}  // namespace

TEST_CASE("04: the thread map covers every tile exactly once") {
  test::check_thread_map<gemm::ThreadMap>();
}

TEST_CASE("04: threads hold what the manual's figures of m16n8k16 show") {
  for_every_block([]<class B>(B) {
    CAPTURE(B::BM, B::BN, B::BK, B::kMajorB == Major::kK);
    int wrong = 0;
    for (int thread = 0; thread < B::kThreads; ++thread) {
      const auto [group, pair, warp_row, warp_col] = place<B>(thread);
      for (int step = 0; step < B::BK / 16; ++step) {
        for (int v = 0; v < 8; ++v) {
          // A: registers 0 and 2 are of the upper 8 rows, 2 and 3 of the second 8 columns.
          const int k_a = 16 * step + 2 * pair + v % 2 + 8 * (v / 4);
          for (int i = 0; i < B::WMITER; ++i) {
            const int row = 16 * (warp_row + B::kWarpsM * i) + group + 8 * (v / 2 % 2);
            wrong += at<B::A::kHeld>(thread, v, i, step) != element_a<B>(row, k_a);
          }
          // B: two atoms, half of the tile's columns apart; two registers for each.
          const int k_b = 16 * step + 2 * pair + v % 2 + 8 * (v / 2 % 2);
          for (int j = 0; j < B::WNITER; ++j) {
            const int col = 16 * B::kWarpsN * j + 8 * B::kWarpsN * (v / 4) + 8 * warp_col + group;
            wrong += at<B::B::kHeld>(thread, v, j, step) != element_b<B>(col, k_b);
          }
        }
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("04: sums belong to the rows of A and the columns of B that a thread multiplies") {
  for_every_block([]<class B>(B) {
    constexpr auto kRow = layout::partition(Layout{{B::BM, B::BN}, {1, 0}}, B::Mma::kC);
    constexpr auto kCol = layout::partition(Layout{{B::BM, B::BN}, {0, 1}}, B::Mma::kC);
    int wrong = 0;
    std::set<int> outputs;
    for (int thread = 0; thread < B::kThreads; ++thread) {
      const auto [group, pair, warp_row, warp_col] = place<B>(thread);
      for (int i = 0; i < B::WMITER; ++i) {
        for (int j = 0; j < B::WNITER; ++j) {
          for (int v = 0; v < 8; ++v) {
            const int row = 16 * (warp_row + B::kWarpsM * i) + group + 8 * (v / 2 % 2);
            const int col =
                16 * B::kWarpsN * j + 8 * B::kWarpsN * (v / 4) + 8 * warp_col + 2 * pair + v % 2;
            wrong += at<kRow>(thread, v, i, j) != row;
            wrong += at<kCol>(thread, v, i, j) != col;
            outputs.insert(row * B::BN + col);
          }
        }
      }
    }
    CHECK(wrong == 0);
    CHECK(outputs.size() == static_cast<std::size_t>(B::BM * B::BN));
  });
}

// The instruction itself, played on a tile in which every element is its own offset: of matrix r,
// lane l gets elements 2 (l % 4) and the next of the row that lane 8 r + l / 4 points at;
// transposed, element l / 4 of the two rows that 8 r + 2 (l % 4) and the next point at.
template <class Fragment>
int wrongly_delivered(int threads, int repetitions, int steps) {
  int wrong = 0;
  for (int thread = 0; thread < threads; ++thread) {
    const int first = thread / 32 * 32, lane = thread % 32;
    for (int i = 0; i < repetitions; ++i) {
      for (int step = 0; step < steps; ++step) {
        for (int v = 0; v < 8; ++v) {
          const int r = v / 2, minor = 2 * (lane % 4) + v % 2, major = lane / 4;
          const int row = first + 8 * r + (Fragment::kTransposed ? minor : major);
          const int element = Fragment::kTransposed ? major : minor;
          wrong += at<Fragment::kPointed>(row, 0, i, step) + element !=
                   at<Fragment::kHeld>(thread, v, i, step);
        }
      }
    }
  }
  return wrong;
}

TEST_CASE("04: ldmatrix delivers what mma wants, and its rows are aligned") {
  for_every_block([]<class B>(B) {
    CAPTURE(B::BM, B::BN, B::BK, B::kMajorB == Major::kK);
    CHECK(wrongly_delivered<typename B::A>(B::kThreads, B::WMITER, B::BK / 16) == 0);
    CHECK(wrongly_delivered<typename B::B>(B::kThreads, B::WNITER, B::BK / 16) == 0);
    CHECK_NOTHROW(layout::require_vector(B::A::kPointed, 8));
    CHECK_NOTHROW(layout::require_vector(B::B::kPointed, 8));
  });
}

TEST_CASE("04: the rows, as one would write them by hand") {
  using B = Block<128, 256, 32, 2, 4, Major::kK>;
  for (int thread = 0; thread < B::kThreads; ++thread) {
    const int lane = thread % 32, warp_row = thread / 32 % 2 * 16, warp_col = thread / 64 * 8;
    CHECK(at<B::A::kPointed>(thread, 0, 3, 1) ==
          (96 + warp_row + lane % 16) * 40 + 16 + lane / 16 * 8);
    CHECK(at<B::B::kPointed>(thread, 0, 2, 1) ==
          (128 + warp_col + lane % 8 + lane / 16 * 32) * 40 + 16 + lane / 8 % 2 * 8);
  }
}

TEST_CASE("04: fragments are read without bank conflicts") {
  for_every_block([]<class B>(B) {
    CAPTURE(B::BM, B::BN, B::BK, B::kMajorB == Major::kK);
    for (int warp = 0; warp < B::kThreads / 32; ++warp) {
      const auto free = [&]<Layout kOffset, int kVector, int kValue>() {
        const auto offset = [&](int lane) { return at<kOffset>(32 * warp + lane, kValue, 1, 1); };
        return layout::bank_conflicts(offset, 32, 16, kVector).free();
      };
      CHECK(free.template operator()<B::A::kPointed, 8, 0>());
      CHECK(free.template operator()<B::B::kPointed, 8, 0>());
      CHECK(free.template operator()<B::A::kHeld, 2, 6>());
      if constexpr (B::kMajorB == Major::kK) {
        CHECK(free.template operator()<B::B::kHeld, 2, 6>());
      } else {
        CHECK(free.template operator()<B::B::kHeld, 1, 7>());
      }
    }
  });
}

TEST_CASE("04: slices are stored without bank conflicts, thanks to the order of copying") {
  const auto wavefronts = []<int kThreads, int kLines, int kLength, bool kOrdered>() {
    using Map = gemm::ThreadMap<kLines, kLength, kThreads, 8>;
    int sum = 0;
    for (int warp = 0; warp < kThreads / 32; ++warp) {
      const auto offset = [&](int lane) {
        const int thread = 32 * warp + lane;
        const int copies =
            kOrdered ? at<CopyOrder<kThreads, Map::kVectorsPerRow>::kOrder>(thread) : thread;
        return Map::row(copies, 0) * (kLength + 8) + Map::col(copies, 0);
      };
      sum += layout::bank_conflicts(offset, 32, 16, 8).wavefronts;
    }
    return sum / (kThreads / 32);
  };
  CHECK(wavefronts.operator()<256, 128, 32, true>() == 4);
  CHECK(wavefronts.operator()<256, 128, 32, false>() == 8);
  CHECK(wavefronts.operator()<128, 64, 64, true>() == 4);
  CHECK(wavefronts.operator()<128, 64, 32, true>() == 4);
  CHECK(wavefronts.operator()<256, 32, 256, true>() == 4);  // N contiguous
  CHECK(wavefronts.operator()<128, 32, 64, true>() == 4);
}

TEST_CASE("04: the order of copying leaves nobody out") {
  const auto check = []<int kThreads, int kVectors>() {
    std::set<int> places;
    for (int thread = 0; thread < kThreads; ++thread) {
      const int copies = at<CopyOrder<kThreads, kVectors>::kOrder>(thread);
      CHECK((copies >= 0 && copies < kThreads));
      CHECK(copies % kVectors == thread % kVectors);
      places.insert(copies);
    }
    CHECK(places.size() == static_cast<std::size_t>(kThreads));
  };
  check.operator()<256, 4>();
  check.operator()<256, 32>();
  check.operator()<256, 128>();
  check.operator()<128, 8>();
  check.operator()<128, 64>();
}

TEST_CASE("04: layouts and the variants behind them") {
  const harness::Chapter& chapter = harness::chapters().front();
  CHECK(chapter.layouts == std::vector<std::string>{"tn", "tt"});
  REQUIRE(chapter.variants.size() == 4);
  CHECK(chapter.variants[0].name == "ldmatrix");
  CHECK(chapter.variants[1].name == "lds");
}
