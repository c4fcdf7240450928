// The library used from device code, as a kernel would. The build compiles it for sm_90a and treats
// local memory as an error; nothing here is run.

#include <layout/layout.hpp>

namespace {

using namespace layout;

// The A tile of a 16-bit GEMM in shared memory: (128, 64) K-major, 128-byte swizzle.
constexpr auto kSmemA = wgmma_tile(Major::kK, 128, 16, 128, 64);

struct Config {
  static constexpr auto kRows = compose(swizzle_for_columns(32, 16, 8), Layout{{128, 32}, {32, 1}});
};

__global__ void swizzled_copy(const unsigned short* in, unsigned short* out) {
  __shared__ unsigned short smem[128 * 64];
  const int thread = threadIdx.x;
  constexpr TiledTv copy = tiled_copy({{16, 8}, {8, 1}}, left({1, 8}));
  constexpr auto kFrom =
      partition(Layout{{128, 64}, {64, 1}}, copy);  // (T, V, 8, 1) row-major in memory
  constexpr auto kTo = partition(kSmemA, copy);
#pragma unroll
  for (int row = 0; row < 8; ++row) {
#pragma unroll
    for (int value = 0; value < 8; ++value) {
      smem[at<kTo>(thread, value, row, 0)] = in[at<kFrom>(thread, value, row, 0)];
    }
  }
  __syncthreads();
  for (int col = 0; col < 64; ++col) out[thread * 64 + col] = smem[at<kSmemA>(thread, col)];
  out[0] = smem[at<Config::kRows>(thread, 0)];
}

[[maybe_unused]] constexpr auto kKeep = &swizzled_copy;

}  // namespace
