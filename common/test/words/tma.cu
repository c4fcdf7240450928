// TMA loads: one box of a tensor into shared memory (PTX ISA, "cp.async.bulk.tensor").

#include "case.hpp"
#include "tma.hpp"

#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/tma.hpp>

#include <algorithm>
#include <string>

namespace words {

namespace tma {

constexpr int kThreads = 128;

struct LoadOptions {
  bool prefetch_map = false, prefetch_box = false;
  std::uint64_t policy = 0;  // 0: the form without one
};

struct LoadArguments {
  Coordinates box;
  LoadOptions options;
  std::uint32_t box_bytes;
  int words;                   // of the tile with its margins
  const std::uint32_t* image;  // what is there before
  std::uint32_t* out;          // and after
};

template <int kRank>
__global__ void load(const __grid_constant__ gpu::TensorMap map, LoadArguments job) {
  auto& smem = gpu::dynamic_smem<TileStorage>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < job.words; i += kThreads) smem.words[i] = job.image[i];
  if (thread == 0) {
    if (job.options.prefetch_map) gpu::prefetch_tensor_map(map);
    smem.full.init(1);
    gpu::fence_mbarrier_init();
  }
  gpu::fence_proxy_async();
  __syncthreads();

  if (thread == 0) {
    int at[kRank];
    for (int d = 0; d < kRank; ++d) at[d] = job.box.at[d];
    if (job.options.prefetch_box) gpu::tma_prefetch(map, at);
    smem.full.arrive_and_expect(job.box_bytes);
    if (job.options.policy != 0) {
      gpu::tma_load(smem.tile(), map, at, smem.full, gpu::CachePolicy{job.options.policy});
    } else {
      gpu::tma_load(smem.tile(), map, at, smem.full);
    }
  }
  smem.full.wait(0);
  for (int i = thread; i < job.words; i += kThreads) job.out[i] = smem.words[i];
}

Outcome run_load(const std::string& name, const BoxTest& test, const LoadOptions& options) {
  Random random(name);
  const std::vector<unsigned char> tensor = random.bytes(2 * kTensorMargin + test.tensor_bytes());
  const int words = region_words(test);
  std::vector<unsigned char> tile = random.bytes(static_cast<std::size_t>(words) * 4);
  const DeviceArray<std::uint32_t> image(as_words(tile)), out(static_cast<std::size_t>(words));
  expect_load(test, tensor, tile);

  const DeviceArray<unsigned char> d_tensor(tensor);
  const gpu::TensorMap map = tensor_map(test, d_tensor.data() + kTensorMargin);
  void (*const kernels[])(const gpu::TensorMap, LoadArguments) = {load<2>, load<3>, load<4>,
                                                                  load<5>};
  run(kernels[test.shape.rank - 2],
      {.grid = dim3(1), .block = dim3(kThreads), .dynamic_smem = sizeof(TileStorage)}, map,
      LoadArguments{coordinates(test), options, test.box_bytes(), words, image.data(), out.data()});
  return {out.values(), as_words(tile)};
}

void add(Cases& cases, const std::string& name, const BoxTest& test, const LoadOptions& options) {
  cases.push_back({name, [=] { return run_load(name, test, options); }});
}

// The hints: where a box may stay in the L2, how much comes with it, what is fetched ahead. They
// must not change what arrives.
void add_hints(Cases& cases, BoxTest test) {
  const std::string shape = test.name.substr(0, test.name.find('/'));
  const std::pair<const char*, LoadOptions> hints[] = {
      {"evict_normal", {.policy = gpu::kEvictNormal.bits}},
      {"evict_first", {.policy = gpu::kEvictFirst.bits}},
      {"evict_last", {.policy = gpu::kEvictLast.bits}},
      {"prefetch_map", {.prefetch_map = true}},
      {"prefetch_box", {.prefetch_box = true}},
      {"all", {true, true, gpu::kEvictLast.bits}}};
  for (const auto& [hint, options] : hints) {
    add(cases, "tma.load.hint/" + shape + "/" + hint, test, options);
  }
  const std::pair<const char*, core::L2Promotion> promotions[] = {
      {"promote_none", core::L2Promotion::kNone},
      {"promote_64B", core::L2Promotion::k64B},
      {"promote_128B", core::L2Promotion::k128B},
      {"promote_256B", core::L2Promotion::k256B}};
  for (const auto& [hint, promotion] : promotions) {
    test.shape.promotion = promotion;
    add(cases, "tma.load.hint/" + shape + "/" + hint, test, {});
  }
}

}  // namespace tma

Cases tma_load_cases() {
  using namespace tma;
  Cases cases;
  const std::vector<BoxTest> tests = box_tests();
  for (const BoxTest& test : tests) add(cases, "tma.load/" + test.name, test, {});
  for (const int rank : {2, 3, 4, 5}) {
    add_hints(cases, *std::find_if(tests.begin(), tests.end(),
                                   [&](const BoxTest& test) { return test.shape.rank == rank; }));
  }
  return cases;
}

Cases tma_short_row_cases() {
  using namespace tma;
  Cases cases;
  for (const BoxTest& test : short_row_tests()) {
    add(cases, "tma.load.short_row/" + test.name, test, {});
  }
  return cases;
}

}  // namespace words
