#include "asynchrony.hpp"
#include "counters_kernels.hpp"
#include "wgmma_tiles.hpp"

#include <gpu/cluster.hpp>
#include <gpu/cp_async.hpp>
#include <gpu/fma.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/mma.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

#include <cstring>
#include <stdexcept>

namespace {

using core::bf16;

__device__ int lane() {
  return static_cast<int>(threadIdx.x % 32);
}

struct Bytes {
  alignas(1024) unsigned char x[32 * 128];
};

// --- ldmatrix and stmatrix ---------------------------------------------------------------------

// Rows `kPitch` bytes apart.
template <int N, int kPitch>
__global__ void matrices() {
  unsigned char* row = gpu::static_smem<Bytes>().x + lane() * kPitch;
  std::uint32_t registers[N];
  gpu::ldmatrix(registers, row);
  gpu::stmatrix(row, registers);
}
// Every row of a matrix begins in another eighth of the banks, as a 128-byte swizzle has it.
__global__ void matrices_swizzled() {
  unsigned char* row = gpu::static_smem<Bytes>().x + lane() * 128 + lane() % 8 * 16;
  std::uint32_t registers[4];
  gpu::ldmatrix_trans(registers, row);
  gpu::stmatrix_trans(row, registers);
}

// --- cp.async ----------------------------------------------------------------------------------

// Lane i copies kBytes to byte i * kPitch, if i < valid.
template <int kBytes, int kPitch>
__global__ void copies(const unsigned char* in, int valid) {
  unsigned char* to = gpu::static_smem<Bytes>().x + lane() * kPitch;
  gpu::cp_async_if<kBytes>(lane() < valid, to, in + lane() * kBytes);
  gpu::cp_async_commit();
  gpu::cp_async_wait<0>();
}
// Rows of `per_row` lanes, each 16 bytes longer than what is copied.
__global__ void copies_padded(const unsigned char* in, int per_row) {
  const int row = lane() / per_row, col = lane() % per_row;
  unsigned char* to = gpu::static_smem<Bytes>().x + (row * (per_row + 1) + col) * 16;
  gpu::cp_async<16>(to, in + lane() * 16);
  gpu::cp_async_wait_all();
}
__global__ void copies_cut_off(const unsigned char* in) {  // 8 of 16 bytes
  gpu::cp_async_zfill<16>(gpu::static_smem<Bytes>().x + lane() * 16, in + lane() * 32, 8);
  gpu::cp_async_wait_all();
}

// --- TMA ---------------------------------------------------------------------------------------

struct Boxes {
  alignas(128) float box[4 * 16];
  gpu::Mbarrier full;
};

__device__ Boxes& boxes() {
  auto& smem = gpu::static_smem<Boxes>();
  if (threadIdx.x == 0) {
    smem.full.init(1);
    gpu::fence_mbarrier_init();
  }
  gpu::cluster_sync();
  return smem;
}

// The box at {column, row}, `times` over; then back.
__global__ void box_there_and_back(const __grid_constant__ gpu::TensorMap map, int column, int row,
                                   int times) {
  Boxes& smem = boxes();
  for (int i = 0; i < times; ++i) {
    smem.full.arrive_and_expect(sizeof smem.box);
    gpu::tma_load(smem.box, map, {column, row}, smem.full);
    smem.full.wait(i & 1);
  }
  gpu::tma_store(map, {column, row}, smem.box);
  gpu::tma_store_commit();
  gpu::tma_store_wait<0>();
}
// A cluster of two; the first block loads for `mask`, each waits if it is meant.
__global__ void box_multicast(const __grid_constant__ gpu::TensorMap map, unsigned mask) {
  Boxes& smem = boxes();
  const unsigned rank = gpu::cluster_rank();
  const bool meant = (mask >> rank & 1) != 0;
  if (meant) smem.full.arrive_and_expect(sizeof smem.box);
  gpu::cluster_sync();
  if (rank == 0) gpu::tma_load_multicast(smem.box, map, {0, 0}, smem.full, mask);
  if (meant) smem.full.wait(0);
  gpu::cluster_sync();
}

// --- Arithmetic --------------------------------------------------------------------------------

__global__ void mma_three_times() {
  float d[4] = {};
  const std::uint32_t a[4] = {}, b[2] = {};
  for (int i = 0; i < 3; ++i) gpu::mma_m16n8k16<bf16>(d, a, b);
}
__global__ void wgmma_twice() {
  tiles::fill();
  float acc[4] = {};
  gpu::wgmma_fence();
  for (int stage = 0; stage < 2; ++stage) tiles::multiply(acc, stage);
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
}
__global__ void fmas(float* out) {
  float sum = 0.0f;
  for (int i = 0; i < 5; ++i) sum = gpu::fma(2.0f, static_cast<float>(i), sum);
  if (lane() < 8) sum = gpu::fma(sum, sum, sum);
  out[lane()] = sum;
}

// --- mbarriers ---------------------------------------------------------------------------------

// Two arrivals by five lanes together, one by a lane alone, and one that announces bytes.
__global__ void arrivals() {
  auto& smem = gpu::static_smem<Boxes>();
  if (threadIdx.x == 0) {
    smem.full.init(12);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  for (int i = 0; i < 2; ++i) {
    if (lane() < 5) smem.full.arrive();
  }
  if (lane() == 7) smem.full.arrive();
  if (lane() == 8) smem.full.arrive_and_expect(0);
  smem.full.wait(0);
}

// Every lane waits three times for what is over: by parity, before and after a phase, and by token.
__global__ void waits() {
  auto& smem = gpu::static_smem<Boxes>();
  if (threadIdx.x == 0) {
    smem.full.init(1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  smem.full.wait(1);
  gpu::sync_warp();
  if (lane() == 7) smem.full.arrive();
  gpu::sync_warp();
  smem.full.wait(0);
  smem.full.wait_token(0);
}

// --- The L2 model ------------------------------------------------------------------------------

// Each block reads the same 16 lines of 128 bytes, four to a request, by cp.async.
__global__ void read_lines(const unsigned char* in) {
  auto& smem = gpu::static_smem<Bytes>();
  for (int i = 0; i < 4; ++i) {
    gpu::cp_async<16>(smem.x + i * 512 + lane() * 16, in + i * 512 + lane() * 16);
  }
  gpu::cp_async_wait_all();
}

}  // namespace

void run_traced_async(const char* name) {
  constexpr int kRows = 8, kColumns = 32;  // of the tensor; boxes are (4, 16)
  const DeviceArray<float> memory(std::vector<float>(kRows * kColumns * 8, 0.0f));
  const auto* in = reinterpret_cast<const unsigned char*>(memory.data());
  const gpu::TensorMap map = map_of(memory.data(), kRows, kColumns, 4, 16);
  const gpu::LaunchShape warp = one_block(32);
  const auto is = [&](const char* candidate) { return std::strcmp(name, candidate) == 0; };
  if (is("matrices_x4_dense")) return gpu::launch(matrices<4, 16>, warp, nullptr);
  if (is("matrices_x2_dense")) return gpu::launch(matrices<2, 16>, warp, nullptr);
  if (is("matrices_x1_dense")) return gpu::launch(matrices<1, 16>, warp, nullptr);
  if (is("matrices_same_row")) return gpu::launch(matrices<4, 0>, warp, nullptr);
  if (is("matrices_two_way")) return gpu::launch(matrices<4, 32>, warp, nullptr);
  if (is("matrices_eight_way")) return gpu::launch(matrices<4, 128>, warp, nullptr);
  if (is("matrices_padded")) return gpu::launch(matrices<4, 80>, warp, nullptr);
  if (is("matrices_swizzled")) return gpu::launch(matrices_swizzled, warp, nullptr);
  if (is("copies_16")) return gpu::launch(copies<16, 16>, warp, nullptr, in, 32);
  if (is("copies_4")) return gpu::launch(copies<4, 4>, warp, nullptr, in, 32);
  if (is("copies_conflict")) return gpu::launch(copies<16, 128>, warp, nullptr, in, 32);
  if (is("copies_8_of_32")) return gpu::launch(copies<16, 16>, warp, nullptr, in, 8);
  if (is("copies_of_nobody")) return gpu::launch(copies<16, 16>, warp, nullptr, in, 0);
  if (is("copies_padded_8")) return gpu::launch(copies_padded, warp, nullptr, in, 8);
  if (is("copies_padded_4")) return gpu::launch(copies_padded, warp, nullptr, in, 4);
  if (is("copies_cut_off")) return gpu::launch(copies_cut_off, warp, nullptr, in);
  const gpu::LaunchShape thread = one_block(1);
  if (is("box_inside")) return gpu::launch(box_there_and_back, thread, nullptr, map, 16, 4, 1);
  if (is("box_twice")) return gpu::launch(box_there_and_back, thread, nullptr, map, 0, 0, 2);
  if (is("box_clipped")) return gpu::launch(box_there_and_back, thread, nullptr, map, 24, 6, 1);
  if (is("box_outside")) return gpu::launch(box_there_and_back, thread, nullptr, map, 0, 8, 1);
  const gpu::LaunchShape cluster = one_cluster(2, 1);
  if (is("multicast_both")) return gpu::launch(box_multicast, cluster, nullptr, map, 3u);
  if (is("multicast_one")) return gpu::launch(box_multicast, cluster, nullptr, map, 2u);
  if (is("mma_three_times")) return gpu::launch(mma_three_times, warp, nullptr);
  if (is("wgmma_twice")) return gpu::launch(wgmma_twice, one_block(128), nullptr);
  if (is("fmas")) return gpu::launch(fmas, warp, nullptr, memory.data());
  if (is("arrivals")) return gpu::launch(arrivals, warp, nullptr);
  if (is("waits")) return gpu::launch(waits, warp, nullptr);
  const gpu::LaunchShape three_blocks = {.grid = dim3(3), .block = dim3(32)};
  if (is("read_lines")) return gpu::launch(read_lines, three_blocks, nullptr, in);
  throw std::logic_error(name);
}
