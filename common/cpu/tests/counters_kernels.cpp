#include "counters_kernels.hpp"

#include <gpu/launch.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/shuffle.hpp>
#include <gpu/thread.hpp>

#include <core/numeric.hpp>

#include <cstring>
#include <stdexcept>

namespace {

using core::bf16;

__device__ int lane() {
  return static_cast<int>(threadIdx.x % 32);
}

// --- Global memory ----------------------------------------------------------------------------

__global__ void load_bf16_row(const bf16* in, volatile std::uint16_t* out) {
  out[lane()] = in[lane()].bits;  // 64 bytes each way
}
__global__ void load_bf16_column(const bf16* in, float* out) {
  out[lane()] = static_cast<float>(in[lane() * 256].bits);
}
__global__ void load_bf16_shifted(const bf16* in, float* out) {
  out[lane()] = static_cast<float>(in[lane() + 8].bits);  // 64 bytes from 16: three sectors
}
__global__ void load_same(const bf16* in, float* out) {
  out[lane()] = static_cast<float>(in[7].bits);
}
__global__ void load_vectors(const bf16* in, bf16* out) {
  gpu::store_global(out + lane() * 8, gpu::load_global<8>(in + lane() * 8));
}
__global__ void load_vectors_strided(const bf16* in, bf16* out) {
  gpu::store_global(out + lane() * 8, gpu::load_global<8>(in + lane() * 256));
}
__global__ void load_under_predicate(const bf16* in, bf16* out) {
  // Rounds 0 to 3 with 32, 24, 16 and 8 lanes; round 4 with nobody.
  core::AlignedVector<bf16, 8> sum = {};
  for (int i = 0; i < 5; ++i) {
    const auto got = gpu::load_global_if<8>(lane() < 32 - 8 * i, in + lane() * 8);
    for (int j = 0; j < 8; ++j) sum.set(j, {static_cast<std::uint16_t>(sum[j].bits + got[j].bits)});
  }
  gpu::store_global(out + lane() * 8, sum);
}
__global__ void load_at_odd_turns(const bf16* in, float* out) {
  // The lanes of the upper half skip a word's first turn: requests of 16 and 32 lanes.
  float sum = 0.0f;
  for (int i = 0; i < 2; ++i) {
    sum +=
        static_cast<float>(gpu::load_global_if<2>(i == 1 || lane() < 16, in + 2 * lane())[0].bits);
  }
  if (sum < 0.0f) out[lane()] = sum;
}
__global__ void load_in_step_after_barrier(const float* in, float* out) {
  // The halves of the warp take different turns of the loop, and meet after each.
  float sum = 0.0f;
  for (int i = 0; i < 2; ++i) {
    if (i == lane() / 16) sum += in[lane()];
    gpu::sync_warp();
  }
  if (sum < 0.0f) out[lane()] = sum;
}
__global__ void store_from_one_lane(float* out) {
  if (lane() == 3) out[0] = 1.0f;
}
__global__ void copy_by_two_warps(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

// --- Shared memory ----------------------------------------------------------------------------

struct Square {
  float x[32][32];
};
struct Padded {
  float x[32][33];
};
struct Halves {
  bf16 x[64 * 32];
};
struct alignas(16) Vectors {
  float x[32 * 32];
};

__global__ void smem_row(float* out) {
  auto& smem = gpu::static_smem<Square>();
  smem.x[0][lane()] = 1.0f;
  if (smem.x[1][lane()] == 0.0f) out[0] = 1.0f;
}
__global__ void smem_column(float* out) {
  auto& smem = gpu::static_smem<Square>();
  smem.x[lane()][0] = 1.0f;
  if (smem.x[lane()][1] == 0.0f) out[0] = 1.0f;
}
__global__ void smem_padded_column(float* out) {
  auto& smem = gpu::static_smem<Padded>();
  smem.x[lane()][0] = 1.0f;
  if (smem.x[lane()][1] == 0.0f) out[0] = 1.0f;
}
__global__ void smem_broadcast(float* out) {
  auto& smem = gpu::static_smem<Square>();
  if (smem.x[5][7] == 0.0f) out[lane()] = 1.0f;
}
__global__ void smem_halves(float* out) {
  auto& smem = gpu::static_smem<Halves>();
  smem.x[lane()].bits = 1;                           // two lanes share a word: one wavefront
  if (smem.x[lane() * 64].bits == 0) out[0] = 1.0f;  // 128 bytes apart: one bank
}
__global__ void smem_vectors() {
  auto& smem = gpu::static_smem<Vectors>();
  gpu::store_shared(smem.x + 4 * lane(), gpu::load_shared<4>(smem.x + 4 * lane()));
}
__global__ void smem_pairs() {
  auto& smem = gpu::static_smem<Vectors>();
  gpu::store_shared(smem.x + 2 * lane(), gpu::load_shared<2>(smem.x + 2 * lane()));
}
__global__ void smem_vectors_strided() {
  auto& smem = gpu::static_smem<Vectors>();
  gpu::load_shared<4>(smem.x + 32 * lane());  // all in banks 0-3: 8 ways in each of four phases
}
__global__ void smem_dynamic() {
  auto& smem = gpu::dynamic_smem<Square>();
  smem.x[lane()][3] = 1.0f;
}

// --- What is not counted ----------------------------------------------------------------------

int host_table[64];

__global__ void host_and_stack(int turns, float* out) {
  volatile float local[8];
  for (int i = 0; i < turns; ++i) local[i % 8] = static_cast<float>(host_table[i % 64]);
  if (local[turns % 8] < 0.0f) out[0] = 1.0f;
  host_table[lane()] = turns;
}

__global__ void barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

struct Memory {
  bf16* in = static_cast<bf16*>(gpu::allocate(32 * 1024));
  bf16* out = static_cast<bf16*>(gpu::allocate(32 * 1024));
  Memory() {
    gpu::fill_bytes(in, 0, 32 * 1024);
    gpu::fill_bytes(out, 0, 32 * 1024);
  }
  ~Memory() {
    gpu::release(in);
    gpu::release(out);
  }
};

}  // namespace

void run_traced(const char* name) {
  const Memory memory;
  auto* in = reinterpret_cast<const float*>(memory.in);
  auto* out = reinterpret_cast<float*>(memory.out);
  const gpu::LaunchShape warp = {
      .grid = dim3(1), .block = dim3(32), .dynamic_smem = sizeof(Square)};
  const auto is = [&](const char* candidate) { return std::strcmp(name, candidate) == 0; };
  if (is("load_bf16_row"))
    return gpu::launch(load_bf16_row, warp, nullptr, memory.in,
                       reinterpret_cast<std::uint16_t*>(out));
  if (is("load_bf16_column")) return gpu::launch(load_bf16_column, warp, nullptr, memory.in, out);
  if (is("load_bf16_shifted")) return gpu::launch(load_bf16_shifted, warp, nullptr, memory.in, out);
  if (is("load_same")) return gpu::launch(load_same, warp, nullptr, memory.in, out);
  if (is("load_vectors")) return gpu::launch(load_vectors, warp, nullptr, memory.in, memory.out);
  if (is("load_vectors_strided"))
    return gpu::launch(load_vectors_strided, warp, nullptr, memory.in, memory.out);
  if (is("load_under_predicate"))
    return gpu::launch(load_under_predicate, warp, nullptr, memory.in, memory.out);
  if (is("load_at_odd_turns")) return gpu::launch(load_at_odd_turns, warp, nullptr, memory.in, out);
  if (is("load_in_step_after_barrier"))
    return gpu::launch(load_in_step_after_barrier, warp, nullptr, in, out);
  if (is("store_from_one_lane")) return gpu::launch(store_from_one_lane, warp, nullptr, out);
  if (is("smem_row")) return gpu::launch(smem_row, warp, nullptr, out);
  if (is("smem_column")) return gpu::launch(smem_column, warp, nullptr, out);
  if (is("smem_padded_column")) return gpu::launch(smem_padded_column, warp, nullptr, out);
  if (is("smem_broadcast")) return gpu::launch(smem_broadcast, warp, nullptr, out);
  if (is("smem_halves")) return gpu::launch(smem_halves, warp, nullptr, out);
  if (is("smem_vectors")) return gpu::launch(smem_vectors, warp, nullptr);
  if (is("smem_pairs")) return gpu::launch(smem_pairs, warp, nullptr);
  if (is("smem_vectors_strided")) return gpu::launch(smem_vectors_strided, warp, nullptr);
  if (is("smem_dynamic")) return gpu::launch(smem_dynamic, warp, nullptr);
  if (is("host_and_stack")) return gpu::launch(host_and_stack, warp, nullptr, 100, out);
  const gpu::LaunchShape three_blocks = {.grid = dim3(3), .block = dim3(64)};
  if (is("copy_by_two_warps"))
    return gpu::launch(copy_by_two_warps, three_blocks, nullptr, in, out);
  if (is("barriers")) return gpu::launch(barriers, three_blocks, nullptr, 5);
  throw std::logic_error(name);
}
