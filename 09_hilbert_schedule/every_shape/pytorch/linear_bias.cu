// x w^T + bias, and its ReLU.

#include "launch.cuh"

namespace every_shape {
namespace {

// An EpilogueOp of one's own is as small as this.
template <class T>
struct Bias {
  static constexpr bool kReadsC = false, kReadsColumn = true;
  const T* column;

  __device__ float operator()(float accumulator, float /*old_c*/, float of_column) const {
    return accumulator + of_column;
  }
};

template <class T>
const T* bias_of(const gemm::Problem& problem) {
  return static_cast<const T*>(problem.epilogue.bias);
}

}  // namespace

void launch_bias(const gemm::Problem& problem, gpu::Stream stream) {
  for_right_problem(
      problem, [&]<class T>() { launch_with<T>(problem, Bias<T>{bias_of<T>(problem)}, stream); });
}
void launch_bias_relu(const gemm::Problem& problem, gpu::Stream stream) {
  for_right_problem(problem, [&]<class T>() {
    launch_with<T>(problem, gemm::BiasRelu<T>{bias_of<T>(problem)}, stream);
  });
}

}  // namespace every_shape
