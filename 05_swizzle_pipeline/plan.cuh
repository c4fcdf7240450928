#pragma once
// From a problem to launches: which kernel, how many blocks, what memory beside the operands.

#include "kernel.cuh"

#include <gpu/host.hpp>

#include <memory>

namespace swizzle_pipeline {

template <class T, class Config, class Epilogue>
struct Plan {
  gemm::Operands<T> operands;
  Output<T> c;
  Epilogue epilogue;
  gpu::LaunchShape shape;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config, Output<T>, Epilogue>, shape, stream, operands, c, epilogue);
  }
};

// K in parts: each block multiplies its part into a matrix of fp32 sums, a second kernel adds these
// up.
template <class T, class Config, class Epilogue>
struct SplitPlan {
  gemm::Operands<T> operands;
  Output<float> sums;
  Output<T> c;
  Epilogue epilogue;
  int parts;
  gpu::LaunchShape shape, reduce_shape;
  std::shared_ptr<void> workspace;  // what `sums` points to

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config, Output<float>, Identity>, shape, stream, operands, sums,
                Identity{});
    gpu::launch(reduce_kernel<T, Epilogue>, reduce_shape, stream, sums, parts, c, epilogue);
  }
};

// K in parts, in one launch.
template <class T, class Config, class Epilogue>
struct FusedPlan {
  gemm::Operands<T> operands;
  FusedOutput<T> c;
  Epilogue epilogue;
  gpu::LaunchShape shape;
  std::shared_ptr<void> workspace;  // what the parts meet in

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config, FusedOutput<T>, Epilogue>, shape, stream, operands, c,
                epilogue);
  }
};

template <class T>
Output<T> output_c(const gemm::Operands<T>& g) {
  return {g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)};
}

template <class T, class Config>
gpu::LaunchShape launch_shape(const gemm::Operands<T>& g, int parts) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return {.grid = dim3(tiles, static_cast<unsigned>(parts)),
          .block = dim3(Config::kThreads),
          .dynamic_smem = sizeof(SharedStorage<T, Config>)};
}

template <class T, class Config, class Epilogue>
Plan<T, Config, Epilogue> prepare(const gemm::Operands<T>& g, const Epilogue& epilogue) {
  return {g, output_c(g), epilogue, launch_shape<T, Config>(g, 1)};
}

// Of so many parts of K, those that have something to do: no more than there are tiles along K.
template <class Config>
int clamp_parts(int parts, int k) {
  return std::clamp(parts, 1, std::max(1, gemm::ceil_div(k, Config::BK)));
}

template <class T, class Config, class Epilogue>
SplitPlan<T, Config, Epilogue> prepare_split(const gemm::Operands<T>& g, const Epilogue& epilogue,
                                             int parts) {
  parts = clamp_parts<Config>(parts, g.k);
  const auto size = static_cast<int64_t>(g.m) * g.n;
  const auto bytes =
      static_cast<std::size_t>(parts) * static_cast<std::size_t>(size) * sizeof(float);
  std::shared_ptr<void> workspace(gpu::allocate(bytes), gpu::release);
  const Output<float> sums{static_cast<float*>(workspace.get()),
                           g.n,
                           g.m,
                           g.n,
                           gemm::widest_access(static_cast<float*>(workspace.get()), g.n, 0),
                           size};
  const unsigned blocks =
      gemm::tile_count(1, 1, 1, 1, kName) * static_cast<unsigned>((size + 255) / 256);
  return {g,
          sums,
          output_c(g),
          epilogue,
          parts,
          launch_shape<T, Config>(g, parts),
          {.grid = dim3(blocks), .block = dim3(256)},
          workspace};
}

template <class T, class Config, class Epilogue>
FusedPlan<T, Config, Epilogue> prepare_fused(const gemm::Operands<T>& g, const Epilogue& epilogue,
                                             int parts) {
  parts = clamp_parts<Config>(parts, g.k);
  const gpu::LaunchShape shape = launch_shape<T, Config>(g, parts);
  const auto sums = static_cast<std::size_t>(shape.grid.x) * static_cast<std::size_t>(parts) *
                    (Config::BM * Config::BN);
  const std::size_t counter_bytes = shape.grid.x * sizeof(int);
  std::shared_ptr<void> workspace(gpu::allocate(sums * sizeof(float) + counter_bytes),
                                  gpu::release);
  auto* const data = static_cast<float*>(workspace.get());
  auto* const arrived = reinterpret_cast<int*>(data + sums);
  gpu::fill_bytes(arrived, 0, counter_bytes);
  gpu::synchronize();  // before a launch in any stream; no later one needs it
  return {g, {output_c(g), data, arrived}, epilogue, shape, workspace};
}

// Elements per copy that both operands allow: K, the leading dimensions and the addresses decide.
template <class T>
int copy_width(const gemm::Operands<T>& g) {
  return std::min(gemm::widest_access(g.a, g.lda, g.k), gemm::widest_access(g.b, g.ldb, g.k));
}

// The operands of a valid problem, plain but for its epilogue and the parts of K. Throws
// core::Refused for any other.
template <class T>
gemm::Operands<T> operands(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  gemm::Problem rest = problem;
  rest.epilogue = {};
  rest.split_k = 1;
  return gemm::plain_operands<T>(rest, kName);
}

// Calls use(epilogue) with the functor that the problem asks for.
template <class T, class Use>
auto with_epilogue(const gemm::Problem& problem, Use use) {
  const gemm::Epilogue& wanted = problem.epilogue;
  switch (wanted.kind) {
    case gemm::EpilogueKind::kAlphaBeta:
      if (wanted.beta == 0.0f) return use(Scale{wanted.alpha});
      return use(AlphaBeta{wanted.alpha, wanted.beta});
    case gemm::EpilogueKind::kBiasRelu:
      return use(BiasRelu<T>{static_cast<const T*>(wanted.bias)});
    default:
      return use(Identity{});
  }
}

}  // namespace swizzle_pipeline
