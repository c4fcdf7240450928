// TMA stores: one box of shared memory into a tensor, clipped to it; groups of stores (PTX ISA,
// "cp.async.bulk.tensor", "cp.async.bulk.wait_group").

#include "case.hpp"
#include "tma.hpp"

#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/tma.hpp>

#include <string>

namespace words {

namespace tma_store {

constexpr int kThreads = 128;

enum class Wait { kAll, kRead };

struct StoreArguments {
  Coordinates box;
  std::uint64_t policy;  // 0: the form without one
  Wait wait;
  int words;  // of the tile with its margins
  const std::uint32_t* image;
};

template <int kRank>
__global__ void store(const __grid_constant__ gpu::TensorMap map, StoreArguments job) {
  auto& smem = gpu::dynamic_smem<TileStorage>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < job.words; i += kThreads) smem.words[i] = job.image[i];
  gpu::fence_proxy_async_shared();
  __syncthreads();

  if (thread == 0) {
    int at[kRank];
    for (int d = 0; d < kRank; ++d) at[d] = job.box.at[d];
    if (job.policy != 0) {
      gpu::tma_store(map, at, smem.tile(), gpu::CachePolicy{job.policy});
    } else {
      gpu::tma_store(map, at, smem.tile());
    }
    gpu::tma_store_commit();
    if (job.wait == Wait::kAll) {
      gpu::tma_store_wait<0>();
    } else {
      gpu::tma_store_wait_read<0>();  // the end of the kernel does the rest
    }
  }
}

Outcome run_store(const std::string& name, const BoxTest& test, std::uint64_t policy, Wait wait) {
  Random random(name);
  std::vector<unsigned char> tensor = random.bytes(2 * kTensorMargin + test.tensor_bytes());
  const DeviceArray<unsigned char> d_tensor(tensor);
  const int words = region_words(test);
  const std::vector<unsigned char> tile = random.bytes(static_cast<std::size_t>(words) * 4);
  const DeviceArray<std::uint32_t> image(as_words(tile));
  expect_store(test, tile, tensor);

  const gpu::TensorMap map = tensor_map(test, d_tensor.data() + kTensorMargin);
  void (*const kernels[])(const gpu::TensorMap, StoreArguments) = {store<2>, store<3>, store<4>,
                                                                   store<5>};
  run(kernels[test.shape.rank - 2],
      {.grid = dim3(1), .block = dim3(kThreads), .dynamic_smem = sizeof(TileStorage)}, map,
      StoreArguments{coordinates(test), policy, wait, words, image.data()});
  return {as_words(d_tensor.values()), as_words(tensor)};
}

// Four boxes of 16 rows, one below the other, through two tiles: a tile is written again once the
// group that reads it is no longer among the most recent ones. With kWait = kAll the first words of
// a finished group's box are read back from the tensor, too.
constexpr int kBoxes = 4;
constexpr int kBoxWords = 16 * 32;  // 16 rows of 64 bf16

struct TwoTiles {
  alignas(1024) std::uint32_t tile[2][kBoxWords];
};

template <Wait kWait>
__global__ void store_in_groups(const __grid_constant__ gpu::TensorMap map,
                                const std::uint32_t* image, const std::uint32_t* tensor,
                                std::uint32_t* seen) {
  auto& smem = gpu::dynamic_smem<TwoTiles>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int box = 0; box < kBoxes; ++box) {
    std::uint32_t* tile = smem.tile[box % 2];
    if (thread == 0) {
      if constexpr (kWait == Wait::kAll) {
        gpu::tma_store_wait<1>();
        if (box >= 2) {
          for (int i = 0; i < 32; ++i) seen[(box - 2) * 32 + i] = tensor[(box - 2) * kBoxWords + i];
        }
      } else {
        gpu::tma_store_wait_read<1>();
      }
    }
    __syncthreads();
    for (int i = thread; i < kBoxWords; i += kThreads) tile[i] = image[box * kBoxWords + i];
    gpu::fence_proxy_async_shared();
    __syncthreads();
    if (thread == 0) {
      gpu::tma_store(map, {0, box * 16}, tile);
      gpu::tma_store_commit();
    }
  }
  if (thread == 0) gpu::tma_store_wait_read<0>();
}

template <Wait kWait>
Outcome run_groups(const std::string& name) {
  const std::vector<std::uint32_t> image = Random(name).words(kBoxes * kBoxWords);
  core::TensorMapShape shape;
  shape.size = {64, kBoxes * 16};
  shape.stride_bytes = {2, 128};
  shape.box = {64, 16};
  const DeviceArray<std::uint32_t> d_image(image), tensor(image.size());
  const int read_back = kWait == Wait::kAll ? (kBoxes - 2) * 32 : 0;
  const DeviceArray<std::uint32_t> seen((kBoxes - 2) * 32);
  const gpu::TensorMap map =
      gpu::make_tensor_map(reinterpret_cast<const core::bf16*>(tensor.data()), shape);
  run(store_in_groups<kWait>,
      {.grid = dim3(1), .block = dim3(kThreads), .dynamic_smem = sizeof(TwoTiles)}, map,
      d_image.data(), tensor.data(), seen.data());

  Outcome out{tensor.values(), image};
  const std::vector<std::uint32_t> words_seen = seen.values();
  for (int i = 0; i < read_back; ++i) {
    out.got.push_back(words_seen[i]);
    out.expected.push_back(image[i / 32 * kBoxWords + i % 32]);
  }
  return out;
}

// What the hardware takes of a store, other than of a load: no coordinate below zero, and rows that
// it can cut off in pieces of 16 bytes.
bool storable(const BoxTest& test) {
  for (int d = 0; d < test.shape.rank; ++d) {
    if (test.at[d] < 0) return false;
  }
  const auto columns = static_cast<std::int64_t>(test.shape.size[0]);
  const bool cut = test.at[0] < columns && test.at[0] + std::int64_t{test.shape.box[0]} > columns;
  return !cut || columns * test.element_bytes() % 16 == 0;
}

void add(Cases& cases, const std::string& name, const BoxTest& test, std::uint64_t policy,
         Wait wait) {
  if (!storable(test)) return;
  cases.push_back({name, [=] { return run_store(name, test, policy, wait); }});
}

}  // namespace tma_store

Cases tma_store_cases() {
  using namespace tma_store;
  Cases cases;
  int turn = 0;
  std::vector<BoxTest> tests = box_tests();
  // The same with rows of a multiple of 16 bytes.
  for (BoxTest test : box_tests()) {
    if (storable(test)) continue;
    test.shape.size[0] = (test.shape.size[0] + 7) / 8 * 8;
    test.name += ".even";
    tests.push_back(test);
  }
  for (const BoxTest& test : tests) {
    const Wait wait = turn++ % 2 == 0 ? Wait::kAll : Wait::kRead;
    add(cases, "tma.store/" + test.name, test, 0, wait);
  }
  const BoxTest test = box_tests().front();
  const std::string shape = test.name.substr(0, test.name.find('/'));
  const std::pair<const char*, gpu::CachePolicy> policies[] = {{"evict_normal", gpu::kEvictNormal},
                                                               {"evict_first", gpu::kEvictFirst},
                                                               {"evict_last", gpu::kEvictLast}};
  for (const auto& [hint, policy] : policies) {
    add(cases, "tma.store.hint/" + shape + "/" + hint, test, policy.bits, Wait::kAll);
  }
  const std::string all = "tma.store.groups/wait_group.1/four",
                    read = "tma.store.groups/wait_group.read.1/four";
  cases.push_back({all, [=] { return run_groups<Wait::kAll>(all); }});
  cases.push_back({read, [=] { return run_groups<Wait::kRead>(read); }});
  for (const BoxTest& short_test : short_row_tests()) {
    add(cases, "tma.store.short_row/" + short_test.name, short_test, 0, Wait::kAll);
  }
  return cases;
}

}  // namespace words
