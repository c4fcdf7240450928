// TMA loads into several blocks of a cluster at once (PTX ISA, "cp.async.bulk.tensor",
// .multicast::cluster): data and arrival at the same place in each block of the mask.

#include "device.hpp"

namespace intrinsics::multicast {

constexpr unsigned kThreads = 64, kMaxSize = 4, kStages = 2;
// A slice: 8 rows of 64 bf16, with the 128-byte swizzle one atom.
constexpr unsigned kRows = 8, kSliceWords = kRows * 32, kSliceBytes = 4 * kSliceWords;
constexpr unsigned kAllWords = kMaxSize * kSliceWords;

struct Storage {
  alignas(1024) std::uint32_t slice[kStages][kAllWords];  // of each issuing rank
  gpu::Mbarrier full[kStages], empty[kStages];
};

// The word of a slice that comes to lie at word i.
unsigned swizzled_word(unsigned i) {
  return core::swizzled(core::SwizzleMode::k128B, 4 * (i % kSliceWords)) / 4;
}

template <class Kernel, class... Args>
Outcome check_slices(Kernel kernel, unsigned size, const Words& data, const Words& expected,
                     const Args&... args) {
  const DeviceArray<std::uint32_t> tensor(data);
  const gpu::TensorMap map =
      map_of_rows<core::bf16>(tensor.data(), 64, static_cast<unsigned>(data.size()) / 32, 64, kRows,
                              core::SwizzleMode::k128B);
  return check_changed(kernel, grid(2 * size, kThreads, sizeof(Storage), size),
                       Words(expected.size()), expected, map, args...);
}

// --- One load per block

struct Masks {
  unsigned mask[kMaxSize];  // into which blocks this rank loads; 0: it loads nothing
};

__global__ void share(const __grid_constant__ gpu::TensorMap map, Masks masks, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  gpu::Mbarrier& full = smem.full[0];
  const unsigned rank = gpu::cluster_rank(), size = gpu::cluster_size();
  for (unsigned i = threadIdx.x; i < kAllWords; i += kThreads) smem.slice[0][i] = i;
  gpu::fence_proxy_async();
  init(full, 1);
  if (threadIdx.x == 0) {
    unsigned bytes = 0;
    for (unsigned from = 0; from < size; ++from) {
      bytes += (masks.mask[from] >> rank & 1) * kSliceBytes;
    }
    full.arrive_and_expect(bytes);
  }
  gpu::cluster_sync();
  if (threadIdx.x == 0 && masks.mask[rank] != 0) {
    const int row = static_cast<int>(blockIdx.x * kRows);
    std::uint32_t* slice = smem.slice[0] + rank * kSliceWords;
    gpu::tma_load_multicast(slice, map, {0, row}, full, masks.mask[rank]);
  }
  full.wait(0);
  copy(out + blockIdx.x * kAllWords, smem.slice[0], kAllWords);
  gpu::cluster_sync();
}

Outcome run_share(Random& random, unsigned size, const Masks& masks) {
  const unsigned blocks = 2 * size;
  const Words data = random.words(blocks * kSliceWords);
  const Words expected = made(blocks * kAllWords, [&](unsigned i) {
    const unsigned block = i / kAllWords, from = i / kSliceWords % kMaxSize;
    const bool loaded = from < size && (masks.mask[from] >> block % size & 1) != 0;
    return loaded ? data[(block / size * size + from) * kSliceWords + swizzled_word(i)]
                  : i % kAllWords;
  });
  return check_slices(share, size, data, expected, masks);
}

// --- A ring that a cluster fills together

// Each step has one slice per rank; every rank loads its own into all blocks. A stage is empty when
// all blocks have read it, which each tells all loaders.
__global__ void ring(const __grid_constant__ gpu::TensorMap map, unsigned steps,
                     std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  const unsigned rank = gpu::cluster_rank(), size = gpu::cluster_size();
  for (unsigned stage = 0; stage < kStages; ++stage) {
    init(smem.full[stage], 1);
    init(smem.empty[stage], size);
  }
  gpu::cluster_sync();
  const unsigned first = blockIdx.x / size * size;  // block of the cluster
  for (unsigned step = 0; step < steps; ++step) {
    const unsigned stage = step % kStages, phase = step / kStages & 1;
    if (threadIdx.x == 0) {
      smem.empty[stage].wait(phase ^ 1);
      smem.full[stage].arrive_and_expect(size * kSliceBytes);
      const unsigned slice = step * gridDim.x + first + rank;
      gpu::tma_load_multicast(smem.slice[stage] + rank * kSliceWords, map,
                              {0, static_cast<int>(slice * kRows)}, smem.full[stage],
                              (1u << size) - 1);
    }
    smem.full[stage].wait(phase);
    copy(out + (step * gridDim.x + blockIdx.x) * kAllWords, smem.slice[stage], size * kSliceWords);
    __syncthreads();
    if (threadIdx.x < size) smem.empty[stage].arrive_remote(threadIdx.x);
  }
  gpu::cluster_sync();
}

Outcome run_ring(Random& random, unsigned size, unsigned steps) {
  const Words data = random.words(steps * 2 * size * kSliceWords);
  const Words expected = made(data.size() * kMaxSize, [&](unsigned i) {
    const unsigned block = i / kAllWords, from = i / kSliceWords % kMaxSize;  // of all steps
    const unsigned slice = block / size * size + from;
    return from < size ? data[slice * kSliceWords + swizzled_word(i)] : 0;
  });
  return check_slices(ring, size, data, expected, steps);
}

const Register kCases([](Cases& cases) {
  struct Sharing {
    const char* name;
    unsigned size;
    Masks masks;
  };
  const Sharing sharings[] = {
      {"alone", 1, {{1}}},
      {"own", 2, {{1, 2}}},
      {"all", 2, {{3, 3}}},
      {"other", 2, {{2, 1}}},
      {"first_to_all", 2, {{3, 0}}},
      {"second_to_first", 2, {{0, 1}}},
      {"own", 4, {{1, 2, 4, 8}}},
      {"all", 4, {{15, 15, 15, 15}}},
      {"next", 4, {{2, 4, 8, 1}}},
      {"rows_of_2x2", 4, {{3, 3, 12, 12}}},
      {"columns_of_2x2", 4, {{5, 10, 5, 10}}},
      {"uneven", 4, {{14, 0, 9, 1}}},
  };
  for (const auto& [what, size, masks] : sharings) {
    add(cases, name("tma.multicast/size=", size, "/", what), run_share, size, masks);
  }
  for (const unsigned size : {1u, 2u, 4u}) {
    add(cases, name("tma.multicast/ring/size=", size), run_ring, size, 7u);
  }
});

}  // namespace intrinsics::multicast
