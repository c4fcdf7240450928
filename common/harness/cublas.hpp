#pragma once
// The bar: cuBLAS as it comes, and the best that its library can do when every algorithm is tried.

#include <harness/chapter.hpp>

#include <gemm/problem.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace harness {

class Cublas {
 public:
  // Null, and one line in `why_not`, when the library cannot be used on this device.
  static std::unique_ptr<Cublas> create(gpu::Stream stream, std::string& why_not);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  std::string version() const;  // "13.1.0"

  // cublasGemmEx with fp32 accumulation and its own choice of algorithm: what a program gets that
  // calls cuBLAS and thinks no further. The problem's epilogue must be kIdentity or kAlphaBeta.
  Plan default_gemm(const gemm::Problem& problem) const;

  // The same, without the freedom to add up partial sums in 16 bits: the second opinion that all
  // entries of a kernel's C are held against.
  void compute_precisely(const gemm::Problem& problem) const;

  // One way in which cublasLtMatmul can compute a problem; valid for all problems of the same
  // sizes, leading dimensions, majors and types whose pointers are as well aligned.
  struct Algorithm;
  using AlgorithmPtr = std::shared_ptr<const Algorithm>;

  // Every algorithm that cublasLt proposes for the problem, its favourite first. Those that would
  // add partial sums in the 16-bit output type are not asked for: the problem demands fp32
  // accumulation.
  std::vector<AlgorithmPtr> proposals(const gemm::Problem& problem) const;

  // Launching can fail for an algorithm that was proposed: core::DeviceError.
  Plan lt_gemm(const gemm::Problem& problem, AlgorithmPtr algorithm) const;

  // Nothing when the problem can be given to cuBLAS; otherwise why not, in one line.
  static std::optional<std::string> why_unsuited(const gemm::Problem& problem);

 private:
  struct State;
  explicit Cublas(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // shared with the plans
};

// The proposal with the shortest burst. All are timed once, shortly; the five best again, longer
// and in rounds. Proposals that fail are passed over. Null where none is left. `problems` are the
// sets of operands to rotate through; `progress(done, all)` is called now and then.
Cublas::AlgorithmPtr find_best(const Cublas& cublas, const std::vector<gemm::Problem>& problems,
                               gpu::Stream stream, const std::function<void(int, int)>& progress);

}  // namespace harness
