// A chapter whose device fails in every way that a GPU can: on it, errors stay. Nothing works after
// an illegal access until the program ends, so one line has to be said and nothing else tried.

#include <harness/chapter.hpp>

#include <gemm/operands.hpp>
#include <gpu/launch.hpp>

#include <memory>

namespace {

__global__ void multiply(gemm::Operands<core::bf16> g) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  if (col >= g.n) return;
  float sum = 0;
  for (int k = 0; k < g.k; ++k) {
    sum += core::to_float(g.a[row * g.lda + k]) * core::to_float(g.b[col * g.ldb + k]);
  }
  g.c[row * g.ldc + col] = core::from_float<core::bf16>(sum);
}

__global__ void write_to_nowhere(int* nowhere) {
  *nowhere = 1;
}

// Computes C, but for the launch number `at`, which does what breaks the device.
struct Breaking {
  gemm::Problem problem;
  int at;
  void (*destroy)(gpu::Stream);
  std::shared_ptr<int> launches = std::make_shared<int>(0);

  void run(gpu::Stream stream) const {
    if (++*launches == at) return destroy(stream);
    const auto g = gemm::typed_operands<core::bf16>(problem);
    gpu::launch(multiply, {.grid = dim3((g.n + 127) / 128, g.m), .block = dim3(128)}, stream, g);
  }
};

void illegal_access(gpu::Stream stream) {
  gpu::launch(write_to_nowhere, {.grid = dim3(1), .block = dim3(1)}, stream,
              reinterpret_cast<int*>(std::uintptr_t{16}));
}
void impossible_launch(gpu::Stream stream) {
  gpu::launch(write_to_nowhere, {.grid = dim3(1), .block = dim3(4096)}, stream,
              static_cast<int*>(nullptr));
}

template <int kAt, void (*kDestroy)(gpu::Stream)>
harness::Plan breaking(const gemm::Problem& problem) {
  return Breaking{problem, kAt, kDestroy};
}

const harness::Registration registration({
    .name = "01_lost",
    .title = "Lost",
    .idea = "a device that fails",
    .variants = {{"right", "nothing fails", breaking<0, nullptr>},
                 {"illegal", "an illegal access at once", breaking<1, illegal_access>},
                 {"illegal_later", "an illegal access while it is timed",
                  breaking<9, illegal_access>},
                 {"launch", "a launch that no device takes", breaking<1, impossible_launch>}},
});

}  // namespace
