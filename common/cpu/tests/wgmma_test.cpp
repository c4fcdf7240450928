// wgmma used correctly: chains, several accumulators, operands in registers.

#include "asynchrony.hpp"
#include "wgmma_tiles.hpp"

namespace {

using namespace tiles;

using Kernel = void (*)(int* wrong);

// Correct under every policy, with one warpgroup and with two.
void check_passes(Kernel kernel) {
  under_every_policy([&] {
    for (const int threads : {128, 256}) {
      const DeviceArray<int> wrong(std::vector<int>{0});
      gpu::launch(kernel, one_block(threads), nullptr, wrong.data());
      CHECK(wrong.values()[0] == 0);
    }
  });
}

}  // namespace

TEST_CASE("a chain of wgmmas with wait<1> needs one fence") {
  check_passes(+[](int* wrong) {
    fill();
    float acc[4] = {};
    gpu::wgmma_fence();
    for (int i = 0; i < 12; ++i) {
      multiply(acc, i % kStages);
      gpu::wgmma_commit();
      gpu::wgmma_wait<1>();
    }
    gpu::wgmma_wait<0>();
    check(acc, 16 * 3 * (1 + 2 + 3 + 4), wrong);
  });
}

TEST_CASE("accumulators may be interleaved, used one after the other, read and used again") {
  check_passes(+[](int* wrong) {
    fill();
    float first[4] = {}, second[4] = {}, third[4] = {};
    gpu::wgmma_fence();
    for (int i = 0; i < 8; ++i) {  // one is being waited for while the other is under way
      multiply(i % 2 == 0 ? first : second, i % kStages);
      gpu::wgmma_commit();
      gpu::wgmma_wait<1>();
    }
    gpu::wgmma_wait<0>();
    check(first, 16 * 2 * (1 + 3), wrong);
    check(second, 16 * 2 * (2 + 4), wrong);
    multiply(third, 0);  // written before the fence above
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
    check(third, 16, wrong);
    for (float& value : first) value = 5;
    gpu::wgmma_fence();
    multiply(first, 1);
    gpu::wgmma<bf16>(second, descriptor(shared().a[0]), descriptor(shared().b[2]), false);
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
    check(first, 5 + 32, wrong);
    check(second, 48, wrong);
  });
}

TEST_CASE("accumulators of several tiles, and none") {
  check_passes(+[](int* wrong) {
    gpu::wgmma_fence();  // fences, groups and waits without a wgmma are fine
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
    fill();
    for (int tile = 0; tile < 5; ++tile) {
      float acc[4] = {};
      gpu::wgmma_fence();
      for (int i = 0; i <= tile % 3; ++i) multiply(acc, tile % kStages);
      gpu::wgmma_commit();
      gpu::wgmma_wait<0>();
      check(acc, static_cast<float>(16 * (tile % 3 + 1) * (tile % kStages + 1)), wrong);
    }
  });
}

TEST_CASE("A may come from registers, from several arrays in turn") {
  check_passes(+[](int* wrong) {
    fill();
    constexpr std::uint32_t kOnes = 0x3f803f80, kTwos = 0x40004000;  // two bf16 each
    std::uint32_t even[4] = {kOnes, kOnes, kOnes, kOnes}, odd[4] = {kTwos, kTwos, kTwos, kTwos};
    float acc[4] = {};
    gpu::wgmma_fence();
    for (int i = 0; i < 8; ++i) {
      auto& fragment = i % 2 == 0 ? even : odd;
      if (i >= 2) {  // waited for: may be rewritten
        for (auto& value : fragment) value = value == kOnes ? kTwos : kOnes;
        gpu::wgmma_fence();
      }
      gpu::wgmma<bf16>(acc, fragment, descriptor(shared().b[0]));
      gpu::wgmma_commit();
      gpu::wgmma_wait<1>();
    }
    gpu::wgmma_wait<0>();
    check(acc, 16 * 4 * (1 + 2), wrong);
  });
}

TEST_CASE("the stage before the one that wait<1> leaves alone may be overwritten") {
  check_passes(+[](int* wrong) {
    fill();
    float acc[4] = {};
    gpu::wgmma_fence();
    for (int i = 0; i < 2; ++i) {
      multiply(acc, i);
      gpu::wgmma_commit();
    }
    gpu::wgmma_wait<1>();
    __syncthreads();
    if (threadIdx.x < 128) gpu::store_shared(shared().a[0], core::AlignedVector<bf16, 8>{});
    gpu::wgmma_wait<0>();
    check(acc, 16 * 3, wrong);
  });
}
