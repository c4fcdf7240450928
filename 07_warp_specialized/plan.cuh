#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "kernel.cuh"

#include <gpu/host.hpp>

#include <algorithm>
#include <cstdint>

namespace warp_specialized {

// Tensor maps belong to pointers and sizes, so they live here, and reach the kernel by value.
template <class T, class Config>
struct Plan {
  gpu::TensorMap map_a = {}, map_b = {};
  Output<T> c;
  typename Config::Schedule schedule;
  int k_tiles;
  gpu::LaunchShape shape;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, map_a, map_b, c, schedule, k_tiles);
  }
};

// Whether rows of B can be dealt out (its map counts them in groups of 32) and C takes the stores
// of 128 bits that this is for.
inline bool can_deal(const gemm::Problem& problem) {
  const bool wide = reinterpret_cast<std::uintptr_t>(problem.c) % 16 == 0 && problem.ldc % 8 == 0;
  return problem.n % 32 == 0 && wide;
}

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  const unsigned sms = static_cast<unsigned>(gpu::sm_count());
  Plan<T, Config> plan{
      .c = {g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)},
      .schedule = {gemm::ceil_div(g.m, Config::BM), gemm::ceil_div(g.n, Config::BN)},
      .k_tiles = gemm::ceil_div(g.k, Config::BK),
      .shape = {.grid = dim3(Config::kPersistent ? std::min(tiles, sms) : tiles),
                .block = dim3(Config::kThreads),
                .dynamic_smem = sizeof(SharedStorage<T, Config>)},
  };
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    plan.map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    plan.map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  return plan;
}

// The operands of a valid, plain problem. Throws core::Refused for any other, and for operands that
// TMA cannot read.
template <class T>
gemm::Operands<T> operands(const gemm::Problem& problem) {
  const auto g = gemm::plain_operands<T>(problem, kName);
  gemm::require_tma(problem, kName);
  return g;
}

}  // namespace warp_specialized
