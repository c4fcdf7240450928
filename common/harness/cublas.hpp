#pragma once
// The bar: cuBLAS as it comes, and the best that its library can do when every algorithm is tried.

#include <harness/device_problem.hpp>

#include <cublas_v2.h>

#include <optional>
#include <string>
#include <vector>

namespace harness {

class Progress;

// Its plans must not outlive it.
class Cublas {
 public:
  // All that it is given runs in this stream. Throws core::DeviceError when the library cannot be
  // used on this device.
  explicit Cublas(gpu::Stream stream);
  Cublas(const Cublas&) = delete;

  std::string version() const;  // "13.1.0"

  // cublasGemmEx with fp32 accumulation and its own choice of algorithm: what a program gets that
  // calls cuBLAS and thinks no further. The problem's epilogue must be kIdentity or kAlphaBeta.
  Plan default_gemm(const gemm::Problem& problem) const;

  // The same, without the freedom to add up partial sums in 16 bits: the second opinion that all
  // entries of a kernel's C are held against.
  void compute_precisely(const gemm::Problem& problem) const;

  // Every algorithm that cublasLt proposes for the problem, its favourite first: plans for sets of
  // operands that differ in their pointers alone. Those that would add partial sums in the 16-bit
  // output type are not asked for: the problem demands fp32 accumulation. Launching can fail for
  // one that was proposed: core::DeviceError.
  std::vector<std::vector<Plan>> proposals(const std::vector<gemm::Problem>& sets) const;

  // The proposal with the shortest burst. All are timed once, shortly; the five best again, longer
  // and in rounds. Proposals that fail are passed over. Empty where none is left.
  std::vector<Plan> best(const std::vector<gemm::Problem>& sets, Progress& progress) const;

  // Nothing when the problem can be given to cuBLAS; otherwise why not, in one line.
  static std::optional<std::string> why_unsuited(const gemm::Problem& problem);

 private:
  gpu::Stream stream_;
  DeviceMemory workspace_;
  Owned<cublasDestroy, cublasHandle_t> handle_;
};

}  // namespace harness
