#pragma once
// The epilogue of linear layers: activation(alpha x + bias). What of it a problem asks for is known
// at run time, so a kernel is compiled once for all of it.

#include <gemm/epilogue_op.hpp>
#include <gemm/problem.hpp>
#include <gpu/fma.hpp>

namespace every_shape {

// Its steps, EpilogueOps both.
struct ScaleAndAdd {
  static constexpr bool kReadsC = false, kReadsColumn = true;
  float alpha;
  __device__ float operator()(float x, float, float bias) const { return gpu::fma(alpha, x, bias); }
};
template <class Activation>
struct Activate {
  static constexpr bool kReadsC = false, kReadsColumn = false;
  __device__ float operator()(float x, float, float) const { return Activation{}(x); }
};

template <class T>
struct Linear {
  static constexpr bool kReadsC = false, kReadsColumn = true;
  gemm::EpilogueKind kind;
  float alpha;
  const T* column;  // null: zeros

  // Of an epilogue with beta = 0.
  explicit Linear(const gemm::Epilogue& wanted)
      : kind(wanted.kind),
        alpha(kind == gemm::EpilogueKind::kAlphaBeta ? wanted.alpha : 1.0f),
        column(static_cast<const T*>(wanted.bias)) {}

  __device__ bool relu() const { return kind == gemm::EpilogueKind::kBiasRelu; }
  // Calls use(step) for each step of this launch, without relu() where rounding does it. All
  // threads take the same way.
  template <bool kRounds, class Use>
  __device__ void for_each_step(const Use& use) const {
    if (kind == gemm::EpilogueKind::kIdentity) return;
    use(ScaleAndAdd{alpha});
    if constexpr (!kRounds) {
      if (relu()) use(Activate<gemm::Relu>{});
    }
    // Much code, which others need not fetch: it goes behind theirs.
    if (kind == gemm::EpilogueKind::kBiasGelu) [[unlikely]]
      use(Activate<gemm::Gelu>{});
    if (kind == gemm::EpilogueKind::kBiasSilu) [[unlikely]]
      use(Activate<gemm::Silu>{});
  }
};

}  // namespace every_shape
