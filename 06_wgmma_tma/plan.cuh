#pragma once
// From a problem to a launch: tensor maps, and how many blocks.

#include "kernel.cuh"

#include <gemm/launch_plan.hpp>

#include <cstdint>

namespace wgmma_tma {

// Whether rows of B can be permuted (its map counts them in groups of 32) and C takes the stores of
// 128 bits that this is for.
inline bool can_permute(const auto& problem) {
  const bool wide = reinterpret_cast<std::uintptr_t>(problem.c) % 16 == 0 && problem.ldc % 8 == 0;
  return problem.n % 32 == 0 && wide;
}

// One block for each tile of C. Tensor maps belong to pointers and sizes, so they are made here,
// and reach the kernel by value. `kernel`: this chapter's, or an aside's.
template <class Config, class T, class Kernel>
auto plan_tiles(Kernel kernel, const gemm::Operands<T>& g, const char* name) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, name);
  const Output<T> c{g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)};
  gpu::TensorMap map_a = {}, map_b = {};
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  return gemm::launch_plan(kernel,
                           {.grid = dim3(tiles),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(SharedStorage<T, Config>)},
                           map_a, map_b, c, gemm::ceil_div(g.k, Config::BK));
}

template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  return plan_tiles<Config>(gemm_kernel<T, Config>, g, kName);
}

}  // namespace wgmma_tma
