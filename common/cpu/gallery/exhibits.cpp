#include "exhibits.hpp"

#include "runners.hpp"

#include <core/error.hpp>
#include <core/numeric.hpp>
#include <runtime/settings.hpp>

namespace gallery {

namespace {

constexpr Sizes kHopper = {256, 136, 640};  // 10 iterations on a ring of 4; ragged along N
constexpr Sizes kAmpere = {136, 72, 328};   // 11 iterations on a ring of 3; ragged everywhere

constexpr std::size_t results_of(const Sizes& sizes) {
  return static_cast<std::size_t>(sizes.m) * sizes.n;
}

template <Bug bug>
Exhibit hopper(const char* name, const char* planted) {
  return {bug, name, "hopper", planted, results_of(kHopper), [] {
            return run_hopper<bug, 1, core::bf16>(kHopper);
          }};
}

template <Bug bug>
Exhibit cluster(const char* name, const char* planted) {
  return {bug, name, "hopper, cluster of 2", planted, results_of(kHopper), [] {
            return run_hopper<bug, 2, core::bf16>(kHopper);
          }};
}

template <Bug bug>
Exhibit register_a(const char* name, const char* planted) {
  return {bug, name, "register_a", planted, 64 * 64, run_register_a<bug, core::bf16>};
}

template <Bug bug>
Exhibit ampere(const char* name, const char* planted) {
  return {bug, name, "ampere", planted, results_of(kAmpere), [] {
            return run_ampere<bug, core::bf16>(kAmpere);
          }};
}

std::vector<Exhibit> make_exhibits() {
  return {
      hopper<Bug::kSwizzleMode>("swizzle_mode",
                                "matrix descriptors say 64-byte swizzle, tensor maps 128-byte"),
      hopper<Bug::kNoFullWait>("no_full_wait", "consumers do not wait for the tiles"),
      hopper<Bug::kNoEmptyWait>("no_empty_wait", "the producer does not wait for a free stage"),
      hopper<Bug::kEmptyParity>("empty_parity",
                                "the producer waits for a free stage with the wrong parity"),
      hopper<Bug::kFullParity>("full_parity", "consumers wait for tiles with the wrong parity"),
      hopper<Bug::kExpectTooFew>("expect_too_few",
                                 "arrive_and_expect is told the bytes of A's tile alone"),
      hopper<Bug::kExpectTooMany>("expect_too_many",
                                  "arrive_and_expect is told one row more than is loaded"),
      hopper<Bug::kReleaseInFlight>("release_in_flight", "a stage is released before wgmma_wait"),
      hopper<Bug::kReleaseLiveStage>(
          "release_live_stage", "wgmma_wait<1>, then the stage of this very iteration is released"),
      hopper<Bug::kNoWgmmaFence>("no_wgmma_fence", "no wgmma_fence() before the first wgmma"),
      hopper<Bug::kAccumulatorReadEarly>("accumulator_read_early",
                                         "the epilogue reads accumulators before wgmma_wait<0>"),
      hopper<Bug::kNoStoreWait>("no_store_wait",
                                "the staging buffer is rewritten without tma_store_wait_read"),
      hopper<Bug::kNoStoreWaitAtExit>("no_store_wait_at_exit",
                                      "the kernel ends with a TMA store under way"),
      hopper<Bug::kNoProxyFence>("no_proxy_fence",
                                 "stmatrix, then a TMA store, without fence_proxy_async"),
      hopper<Bug::kUnalignedTile>("unaligned_tile",
                                  "tiles start 512 bytes into the swizzle's 1024-byte pattern"),
      hopper<Bug::kStrides>("strides", "LBO and SBO of the matrix descriptors swapped"),
      hopper<Bug::kFourProducers>("four_producers",
                                  "elect_one() in all four warps of the producer's warpgroup"),
      hopper<Bug::kArrivalCount>("arrival_count",
                                 "empty barriers made for one consumer instead of two"),
      cluster<Bug::kPeerLeavesEarly>("peer_leaves_early", "no cluster_sync() at the end"),
      cluster<Bug::kMulticastMask>("multicast_mask",
                                   "each block's half of B goes to that block alone"),
      cluster<Bug::kClusterArrivals>("cluster_arrivals",
                                     "empty barriers made for one block's consumers, not both's"),
      register_a<Bug::kRegistersRewritten>("registers_rewritten",
                                           "A's registers are rewritten while a wgmma reads them"),
      register_a<Bug::kRegistersUnfenced>(
          "registers_unfenced", "A's registers are rewritten without wgmma_fence() behind it"),
      ampere<Bug::kNoCopyWait>("no_copy_wait", "no cp_async_wait"),
      ampere<Bug::kCommitInIf>("commit_in_if",
                               "cp_async_commit inside the if that guards the load"),
      ampere<Bug::kNoSyncBefore>("no_sync_before",
                                 "no __syncthreads() between cp_async_wait and the reads"),
      ampere<Bug::kNoSyncAfter>("no_sync_after",
                                "no __syncthreads() between the reads and the next load"),
      ampere<Bug::kLdmatrixRow>("ldmatrix_row",
                                "lanes 8-15 and 16-23 name each other's rows to ldmatrix"),
      ampere<Bug::kCopyUnaligned>("copy_unaligned", "a 16-byte cp_async to a multiple of 8 bytes"),
  };
}

// Under another policy for as long as this lives.
class PolicyHeld {
 public:
  explicit PolicyHeld(const std::string& policy) { runtime::set_policy(policy); }
  ~PolicyHeld() { runtime::set_policy(before_); }
  PolicyHeld(const PolicyHeld&) = delete;
  PolicyHeld& operator=(const PolicyHeld&) = delete;

 private:
  runtime::Policy before_ = runtime::policy();
};

}  // namespace

const std::vector<Exhibit>& exhibits() {
  static const std::vector<Exhibit> all = make_exhibits();
  return all;
}

const std::vector<std::string>& policies() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names = {"late", "early", "mix"};
    for (int i = 1; i <= kRandomSeeds; ++i) names.push_back("random:" + std::to_string(i));
    return names;
  }();
  return all;
}

Outcome run(const Exhibit& exhibit, const std::string& policy) {
  const PolicyHeld held(policy);
  try {
    const std::size_t wrong = exhibit.run();
    return {wrong > 0 ? Ending::kWrongResult : Ending::kNotNoticed, wrong, ""};
  } catch (const core::DeviceError& error) {
    return {Ending::kNamed, 0, error.what()};
  }
}

Result run_all(const Exhibit& exhibit) {
  Result result{&exhibit, {}};
  for (const std::string& policy : policies()) result.outcomes.push_back(run(exhibit, policy));
  return result;
}

std::size_t Result::best() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    if (outcomes[i].ending > outcomes[best].ending) best = i;
  }
  return best;
}

}  // namespace gallery
