// x w^T, and its ReLU.

#include "launch.cuh"

namespace every_shape {
namespace {

struct Relu {
  static constexpr bool kReadsC = false, kReadsColumn = false;

  __device__ float operator()(float accumulator, float /*old_c*/, float /*of_column*/) const {
    return accumulator < 0.0f ? 0.0f : accumulator;  // a NaN stays one
  }
};

}  // namespace

void launch_identity(const gemm::Problem& problem, gpu::Stream stream) {
  for_right_problem(problem, [&]<class T>() { launch_with<T>(problem, gemm::Identity{}, stream); });
}
void launch_relu(const gemm::Problem& problem, gpu::Stream stream) {
  for_right_problem(problem, [&]<class T>() { launch_with<T>(problem, Relu{}, stream); });
}

}  // namespace every_shape
