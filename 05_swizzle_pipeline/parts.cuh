#pragma once
// K in parts in one launch: every block leaves its sums in global memory and counts itself, and the
// last one of a tile of C adds up what all have left.

#include "store.cuh"

#include <core/aligned_vector.hpp>
#include <gpu/global.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace swizzle_pipeline {

// C, and where its parts meet. `sums`: for every tile of C and part of K, BM x BN sums in the order
// in which threads hold them. `arrived`: for every tile, how many parts have left theirs; 0 before
// a launch and after it.
template <class Out>
struct FusedOutput : Output<Out> {
  float* sums;
  int* arrived;
};

struct Arrival {
  bool is_last;  // of the tile's blocks
};

// Leaves this block's sums. In the block that comes last: true, and `sum` holds those of all parts,
// added in the order of the parts, whoever came when.
template <class Config, class Out>
__device__ bool sum_of_parts(const FusedOutput<Out>& c,
                             float (&sum)[Config::kAtomsM][Config::kAtomsN][4]) {
  const int part = static_cast<int>(blockIdx.y), parts = static_cast<int>(gridDim.y);
  constexpr int kTile = Config::BM * Config::BN, kAtom = 4 * Config::kThreads;
  float* const first = c.sums + static_cast<int64_t>(blockIdx.x) * parts * kTile + 4 * threadIdx.x;
  const auto place = [&](int of, int i, int j) {
    return first + static_cast<int64_t>(of) * kTile + (i * Config::kAtomsN + j) * kAtom;
  };
#pragma unroll
  for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
      const auto& four = sum[i][j];
      gpu::store_global(place(part, i, j),
                        core::AlignedVector<float, 4>{four[0], four[1], four[2], four[3]});
    }
  }

  auto& arrival = gpu::static_smem<Arrival>();
  __syncthreads();  // all of the block's sums are stored, before one thread announces them
  if (threadIdx.x == 0) {
    int* const arrived = c.arrived + blockIdx.x;
    arrival.is_last = gpu::semaphore_add(arrived, 1) == parts - 1;
    if (arrival.is_last) *arrived = 0;  // for the next launch
  }
  __syncthreads();  // all threads know, and the last block's see what the others have stored
  if (!arrival.is_last) return false;

#pragma unroll
  for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
#pragma unroll
      for (float& one : sum[i][j]) one = 0.0f;
    }
  }
#pragma unroll 4
  for (int of = 0; of < parts; ++of) {
#pragma unroll
    for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kAtomsN; ++j) {
        const auto four = gpu::load_global_mutable<4>(place(of, i, j));
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[i][j][e] += four[e];
      }
    }
  }
  return true;
}

}  // namespace swizzle_pipeline
