#pragma once
// Chapter 04. A block computes a BM x BN tile of C, a warp WM x WN of it, out of atoms of 16 x 8
// that the tensor cores multiply: mma.sync m16n8k16. Shared memory holds the slices as they are,
// 16 bits per element, and ldmatrix deals them out to the registers that mma wants. C = A B^T, A
// (M, K) with K contiguous, B (N, K) with K or N contiguous, C (M, N) with N contiguous.

#include "fragments.hpp"

#include <gemm/operands.hpp>
#include <gemm/thread_map.hpp>
#include <gpu/convert.hpp>
#include <gpu/launch.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/memory.hpp>
#include <gpu/mma.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace mma_ldmatrix {

inline constexpr const char* kName = "04_mma_ldmatrix";

// For many outputs: 8 warps of 64 x 64, one block on an SM.
struct LargeTiles {
  static constexpr int BM = 128, BN = 256, BK = 32;
  static constexpr int WM = 64, WN = 64;
};

// For few outputs: 4 warps of 32 x 32, several blocks on an SM.
struct SmallTiles {
  static constexpr int BM = 64, BN = 64, BK = 64;
  static constexpr int WM = 32, WN = 32;
};

// For loads of single elements, each of which takes a register: fewer of them.
struct NarrowTiles : SmallTiles {
  static constexpr int BK = 32;
};

// How fragments come from shared memory: rows of 8x8 matrices that the warp shares out, or each
// lane for itself, 32 bits (16, where K is not contiguous) at a time.
enum class Fetch { kLdmatrix, kLds };

// kVector: elements per global load (8: 128 bits).
template <class Tiles, int kVector_, Major kMajorB_, Fetch kFetch_>
struct Config : Tiles {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::WM, Tiles::WN;
  static constexpr int kVector = kVector_;
  static constexpr Major kMajorB = kMajorB_;
  static constexpr Fetch kFetch = kFetch_;

  static constexpr int kWarpsM = BM / WM, kWarpsN = BN / WN;
  static constexpr int kThreads = kWarpsM * kWarpsN * gpu::kWarpSize;
  static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 16 == 0 && BK % 32 == 0);
  using TileA = OperandTile<Major::kK, BM, BK>;
  using TileB = OperandTile<kMajorB, BN, BK>;
  using MapA = gemm::ThreadMap<TileA::kLines, TileA::kLength, kThreads, kVector>;
  using MapB = gemm::ThreadMap<TileB::kLines, TileB::kLength, kThreads, kVector>;

  // A warp's tile is swept in WMITER x WNITER atoms of 16 x 16 outputs (two of m16n8k16).
  static constexpr int WMITER = WM / 16, WNITER = WN / 16;
  using Mma = TiledMma<kWarpsM, kWarpsN>;
  using FragmentA = Fragment<TileA, Mma::kA, Major::kK>;
  using FragmentB = Fragment<TileB, Mma::kB, kMajorB>;

  // (thread, value, i, j) -> row and column of the block's tile of C.
  static constexpr Layout kRowOfC = layout::partition(Layout{{BM, BN}, {1, 0}}, Mma::kC);
  static constexpr Layout kColOfC = layout::partition(Layout{{BM, BN}, {0, 1}}, Mma::kC);
};

template <class T, class Config>
struct SharedStorage {
  struct Stage {
    alignas(16) T a[Config::TileA::kSize];  // (BM, BK) k contiguous
    alignas(16) T b[Config::TileB::kSize];  // (BN, BK) k contiguous, or n as in B
  };
  Stage stage[2];  // one is read while the other is filled
};

// A thread's share of a tile on its way from global to shared memory.
template <class T, class Map, int kVector>
using LoadFragment = core::AlignedVector<T, kVector>[Map::kIterations];

// The number under which this thread looks up its share in the thread map.
template <class Config, class Map>
__device__ int copy_thread() {
  return layout::at<CopyOrder<Config::kThreads, Map::kVectorsPerRow>::kOrder>(
      static_cast<int>(threadIdx.x));
}

// Loads this thread's share of a tile that begins at (first_line, first_element) of `matrix`. What
// lies outside of lines x length counts as zero.
template <class Config, class Map, class T>
__device__ void load_tile(LoadFragment<T, Map, Config::kVector>& fragment, const T* matrix,
                          int64_t leading_dimension, int first_line, int lines, int first_element,
                          int length) {
  constexpr int kVector = Config::kVector;
  static_assert(Map::kIterationsContiguous == 1);
  const int thread = copy_thread<Config, Map>();
  const int element = first_element + Map::col(thread, 0);
  // One address and a step: an address for each vector would take registers that the sums need.
  const T* from = matrix + (first_line + Map::row(thread, 0)) * leading_dimension + element;
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i, from += Map::kDeltaStrided * leading_dimension) {
    const int line = first_line + Map::row(thread, i);
    // A vector is inside or outside as a whole: length % kVector == 0.
    const bool inside = Map::holds(thread, i) && line < lines && element < length;
    fragment[i] = gpu::load_global_if<kVector>(inside, from);
  }
}

// Leaves it in `smem` as it came, lines kPitch elements apart.
template <class Config, class Map, int kPitch, class T>
__device__ void store_tile(T* smem, const LoadFragment<T, Map, Config::kVector>& fragment) {
  const int thread = copy_thread<Config, Map>();
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i) {
    if (!Map::holds(thread, i)) continue;
    gpu::store_shared(smem + Map::row(thread, i) * kPitch + Map::col(thread, i), fragment[i]);
  }
}

// The 8 values of an operand that this thread multiplies in repetition `i` of step `step`.
template <class Config, class Fragment, class T>
__device__ void load_fragment(std::uint32_t (&fragment)[4], const T* smem, int i, int step) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (Config::kFetch == Fetch::kLdmatrix) {
    const T* row = smem + layout::at<Fragment::kPointed>(thread, 0, i, step);
    if constexpr (Fragment::kTransposed) {
      gpu::ldmatrix_trans(fragment, row);
    } else {
      gpu::ldmatrix(fragment, row);
    }
  } else {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const T* low = smem + layout::at<Fragment::kHeld>(thread, 2 * r, i, step);
      core::AlignedVector<T, 2> pair;
      if constexpr (Fragment::kTransposed) {
        const T* high = smem + layout::at<Fragment::kHeld>(thread, 2 * r + 1, i, step);
        pair = {};
        pair.set(0, gpu::load_shared<1>(low)[0]);
        pair.set(1, gpu::load_shared<1>(high)[0]);
      } else {
        pair = gpu::load_shared<2>(low);
      }
      fragment[r] = pair.words[0];
    }
  }
}

// Two neighbouring outputs of one row: one store where C allows it, guarded single ones elsewhere.
template <class T>
__device__ void store_outputs(const gemm::Operands<T>& g, int row, int col, float left, float right,
                              bool vector_stores) {
  if (row >= g.m) return;
  T* target = g.c + row * g.ldc + col;
  if (vector_stores && col + 2 <= g.n) {
    gpu::store_global(target, gpu::from_float<T>(left, right));
    return;
  }
  if (col < g.n) target[0] = gpu::from_float<T>(left);
  if (col + 1 < g.n) target[1] = gpu::from_float<T>(right);
}

// What a warp multiplies: one step of 16 along K of its tile of A and of B, and the sums they are
// added to.
template <class T, class Config>
struct WarpTile {
  static constexpr int WMITER = Config::WMITER, WNITER = Config::WNITER;
  using Stage = typename SharedStorage<T, Config>::Stage;

  std::uint32_t a[2][WMITER][4];  // double buffer: step in use, step under way
  std::uint32_t b[2][WNITER][4];  // two registers for each of two atoms
  float sum[WMITER][WNITER][2][4] = {};

  __device__ void load(int buffer, const Stage& smem, int step) {
#pragma unroll
    for (int i = 0; i < WMITER; ++i) {
      load_fragment<Config, typename Config::FragmentA>(a[buffer][i], smem.a, i, step);
    }
#pragma unroll
    for (int j = 0; j < WNITER; ++j) {
      load_fragment<Config, typename Config::FragmentB>(b[buffer][j], smem.b, j, step);
    }
  }

  __device__ void multiply(int buffer) {
#pragma unroll
    for (int i = 0; i < WMITER; ++i) {
#pragma unroll
      for (int j = 0; j < WNITER; ++j) {
#pragma unroll
        for (int atom = 0; atom < 2; ++atom) {
          const std::uint32_t atom_b[2] = {b[buffer][j][2 * atom], b[buffer][j][2 * atom + 1]};
          gpu::mma_m16n8k16<T>(sum[i][j][atom], a[buffer][i], atom_b);
        }
      }
    }
  }
};

template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  using MapA = typename Config::MapA;
  using MapB = typename Config::MapB;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;

  LoadFragment<T, MapA, Config::kVector> next_a;
  LoadFragment<T, MapB, Config::kVector> next_b;
  WarpTile<T, Config> tile;

  // The slice that begins at `k0`, on its way to registers, and then to shared memory.
  const auto load_slice = [&](int k0) {
    load_tile<Config, MapA>(next_a, g.a, g.lda, block_row, g.m, k0, g.k);
    if constexpr (Config::kMajorB == Major::kK) {
      load_tile<Config, MapB>(next_b, g.b, g.ldb, block_col, g.n, k0, g.k);
    } else {
      load_tile<Config, MapB>(next_b, g.b, g.ldb, k0, g.k, block_col, g.n);
    }
  };
  const auto store_slice = [&](int stage) {
    store_tile<Config, MapA, Config::TileA::kPitch>(smem.stage[stage].a, next_a);
    store_tile<Config, MapB, Config::TileB::kPitch>(smem.stage[stage].b, next_b);
  };

  load_slice(0);
  store_slice(0);
  load_slice(BK);
  __syncthreads();

  constexpr int kSteps = BK / 16;
  int stage = 0;
  tile.load(0, smem.stage[stage], 0);
  for (int k0 = 0; k0 < g.k; k0 += BK) {
#pragma unroll 1
    for (int step = 0; step < kSteps - 2; step += 2) {
      tile.load(1, smem.stage[stage], step + 1);
      tile.multiply(0);
      tile.load(0, smem.stage[stage], step + 2);
      tile.multiply(1);
    }
    tile.load(1, smem.stage[stage], kSteps - 1);
    tile.multiply(0);

    stage ^= 1;
    store_slice(stage);
    // The slice after the next sets out at once: tensor cores are done with a slice in less time
    // than memory needs to answer.
    load_slice(k0 + 2 * BK);
    __syncthreads();  // the next slice is complete, and no one reads the present one any more
    tile.load(0, smem.stage[stage], 0);
    tile.multiply(1);
  }

  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < Config::WMITER; ++i) {
#pragma unroll
    for (int j = 0; j < Config::WNITER; ++j) {
#pragma unroll
      for (int value = 0; value < 8; value += 2) {  // two rows in each of two atoms
        const float* sum = &tile.sum[i][j][value / 4][value % 4];
        store_outputs(g, block_row + layout::at<Config::kRowOfC>(thread, value, i, j),
                      block_col + layout::at<Config::kColOfC>(thread, value, i, j), sum[0], sum[1],
                      vector_stores);
      }
    }
  }
}

template <class T, class Config>
struct Plan {
  gemm::Operands<T> operands;
  gpu::LaunchShape shape;
  bool vector_stores;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, operands, vector_stores);
  }
};

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= 2;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return {g,
          {.grid = dim3(blocks),
           .block = dim3(Config::kThreads),
           .dynamic_smem = sizeof(SharedStorage<T, Config>)},
          vector_stores};
}

// Elements per load that both operands allow: the lengths of their lines, the leading dimensions
// and the addresses decide.
template <Major kMajorB, class T>
int load_width(const gemm::Operands<T>& g) {
  const int length_b = kMajorB == Major::kK ? g.k : g.n;
  return std::min(gemm::widest_access(g.a, g.lda, g.k), gemm::widest_access(g.b, g.ldb, length_b));
}

// The operands of a valid problem, plain but for B, whose major is free. Throws core::Refused for
// any other.
template <class T>
gemm::Operands<T> operands(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (problem.a_major != Major::kK) {
    throw core::Refused(std::string(kName) + ": takes A with K contiguous (layouts tn, tt) only");
  }
  gemm::Problem rest = problem;
  rest.b_major = Major::kK;
  gemm::require_plain(rest, kName);
  return gemm::typed_operands<T>(problem);
}

}  // namespace mma_ldmatrix
