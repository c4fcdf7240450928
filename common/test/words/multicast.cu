// TMA loads into several blocks of a cluster at once (PTX ISA, "cp.async.bulk.tensor",
// .multicast::cluster): data and arrival at the same place in each block of the mask.

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/cluster.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/tma.hpp>

#include <string>

namespace words {

namespace multicast {

constexpr int kThreads = 64;
constexpr int kMaxSize = 4;
// A slice: 8 rows of 64 bf16, with the 128-byte swizzle one atom.
constexpr int kRows = 8;
constexpr int kSliceWords = kRows * 32;
constexpr unsigned kSliceBytes = 4 * kSliceWords;

// Chunk c of row r lies at chunk c ^ r of its row.
int swizzled_word(int word) {
  const int row = word / 32, chunk = word / 4 % 8;
  return row * 32 + (chunk ^ row % 8) * 4 + word % 4;
}

gpu::TensorMap map_of_slices(const std::uint32_t* data, int slices) {
  core::TensorMapShape shape;
  shape.size = {64, static_cast<std::uint64_t>(slices * kRows)};
  shape.stride_bytes = {2, 128};
  shape.box = {64, kRows};
  shape.swizzle = core::SwizzleMode::k128B;
  return gpu::make_tensor_map(reinterpret_cast<const core::bf16*>(data), shape);
}

// --- One load per block
// --------------------------------------------------------------------------------

struct Masks {
  unsigned mask[kMaxSize];  // into which blocks this rank loads; 0: it loads nothing
};

struct Slices {
  alignas(1024) std::uint32_t slice[kMaxSize][kSliceWords];  // one per issuing rank
  gpu::Mbarrier full;
};

__global__ void share(const __grid_constant__ gpu::TensorMap map, Masks masks, bool hint,
                      std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Slices>();
  const unsigned rank = gpu::cluster_rank(), size = gpu::cluster_size();
  for (unsigned i = threadIdx.x; i < kMaxSize * kSliceWords; i += kThreads) {
    smem.slice[i / kSliceWords][i % kSliceWords] = i;
  }
  gpu::fence_proxy_async();
  if (threadIdx.x == 0) {
    unsigned bytes = 0;
    for (unsigned from = 0; from < size; ++from) {
      bytes += (masks.mask[from] >> rank & 1) * kSliceBytes;
    }
    smem.full.init(1);
    gpu::fence_mbarrier_init();
    smem.full.arrive_and_expect(bytes);
  }
  gpu::cluster_sync();
  if (threadIdx.x == 0 && masks.mask[rank] != 0) {
    const int row = static_cast<int>(blockIdx.x) * kRows;
    if (hint) {
      gpu::tma_load_multicast(smem.slice[rank], map, {0, row}, smem.full, masks.mask[rank],
                              gpu::kEvictFirst);
    } else {
      gpu::tma_load_multicast(smem.slice[rank], map, {0, row}, smem.full, masks.mask[rank]);
    }
  }
  smem.full.wait(0);
  for (unsigned i = threadIdx.x; i < kMaxSize * kSliceWords; i += kThreads) {
    out[blockIdx.x * kMaxSize * kSliceWords + i] = smem.slice[i / kSliceWords][i % kSliceWords];
  }
  gpu::cluster_sync();
}

Outcome run_share(const std::string& name, unsigned size, const Masks& masks, bool hint) {
  const unsigned blocks = 2 * size;
  const std::vector<std::uint32_t> data = Random(name).words(blocks * kSliceWords);
  std::vector<std::uint32_t> expected(blocks * kMaxSize * kSliceWords);
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned from = 0; from < kMaxSize; ++from) {
      for (int i = 0; i < kSliceWords; ++i) {
        const unsigned slot = from * kSliceWords;
        std::uint32_t* words = &expected[block * kMaxSize * kSliceWords + slot];
        if (from < size && (masks.mask[from] >> block % size & 1) != 0) {
          words[swizzled_word(i)] = data[(block / size * size + from) * kSliceWords + i];
        } else {
          words[i] = slot + static_cast<unsigned>(i);
        }
      }
    }
  }
  const DeviceArray<std::uint32_t> tensor(data), out(expected.size());
  run(share,
      {.grid = dim3(blocks),
       .block = dim3(kThreads),
       .dynamic_smem = sizeof(Slices),
       .cluster = dim3(size)},
      map_of_slices(tensor.data(), static_cast<int>(blocks)), masks, hint, out.data());
  return {out.values(), expected};
}

// --- A ring that a cluster fills together
// --------------------------------------------------------------

// Each step has one slice per rank; every rank loads its own into all blocks. A stage is empty when
// all blocks have read it, which each tells all loaders.
constexpr int kStages = 2;

struct Ring {
  alignas(1024) std::uint32_t slice[kStages][kMaxSize][kSliceWords];
  gpu::Mbarrier full[kStages], empty[kStages];
};

__global__ void ring(const __grid_constant__ gpu::TensorMap map, int steps, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Ring>();
  const unsigned rank = gpu::cluster_rank(), size = gpu::cluster_size();
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      smem.full[stage].init(1);
      smem.empty[stage].init(size);
    }
    gpu::fence_mbarrier_init();
  }
  gpu::cluster_sync();
  const unsigned first = blockIdx.x / size * size;  // block of the cluster
  for (int step = 0; step < steps; ++step) {
    const int stage = step % kStages;
    const unsigned phase = static_cast<unsigned>(step / kStages) & 1;
    if (threadIdx.x == 0) {
      smem.empty[stage].wait(phase ^ 1);
      smem.full[stage].arrive_and_expect(size * kSliceBytes);
      const int slice = step * static_cast<int>(gridDim.x) + static_cast<int>(first + rank);
      gpu::tma_load_multicast(smem.slice[stage][rank], map, {0, slice * kRows}, smem.full[stage],
                              (1u << size) - 1);
    }
    smem.full[stage].wait(phase);
    const unsigned at = (static_cast<unsigned>(step) * gridDim.x + blockIdx.x) * kMaxSize;
    for (unsigned i = threadIdx.x; i < size * kSliceWords; i += kThreads) {
      out[at * kSliceWords + i] = smem.slice[stage][i / kSliceWords][i % kSliceWords];
    }
    __syncthreads();
    if (threadIdx.x < size) smem.empty[stage].arrive_remote(threadIdx.x);
  }
  gpu::cluster_sync();
}

Outcome run_ring(const std::string& name, unsigned size, int steps) {
  const unsigned blocks = 2 * size;
  const unsigned slices = static_cast<unsigned>(steps) * blocks;
  const std::vector<std::uint32_t> data = Random(name).words(slices * kSliceWords);
  std::vector<std::uint32_t> expected(slices * kMaxSize * kSliceWords, 0u);
  for (unsigned at = 0; at < slices; ++at) {  // step and block
    const unsigned first = at - at % blocks % size;
    for (unsigned from = 0; from < size; ++from) {
      for (int i = 0; i < kSliceWords; ++i) {
        expected[(at * kMaxSize + from) * kSliceWords + swizzled_word(i)] =
            data[(first + from) * kSliceWords + i];
      }
    }
  }
  const DeviceArray<std::uint32_t> tensor(data),
      out(std::vector<std::uint32_t>(expected.size(), 0u));
  run(ring,
      {.grid = dim3(blocks),
       .block = dim3(kThreads),
       .dynamic_smem = sizeof(Ring),
       .cluster = dim3(size)},
      map_of_slices(tensor.data(), static_cast<int>(slices)), steps, out.data());
  return {out.values(), expected};
}

}  // namespace multicast

Cases multicast_cases() {
  using namespace multicast;
  Cases cases;
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
  for (const Sharing& sharing : sharings) {
    for (const bool hint : {false, true}) {
      const std::string name = "tma.multicast/size=" + std::to_string(sharing.size) + "/" +
                               sharing.name + (hint ? ".evict_first" : "");
      cases.push_back({name, [=] { return run_share(name, sharing.size, sharing.masks, hint); }});
    }
  }
  for (const unsigned size : {1u, 2u, 4u}) {
    const std::string name = "tma.multicast/ring/size=" + std::to_string(size);
    cases.push_back({name, [=] { return run_ring(name, size, 7); }});
  }
  return cases;
}

}  // namespace words
