#pragma once
// The gallery's kernels from the outside: each runs once on small integers and says how many
// results are wrong. Throws core::DeviceError when the CPU backend names a bug. Defined in run.hpp,
// which only the files that instantiate a kernel include: they take long to compile.

#include <core/numeric.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gallery {

// Each bug is one line left out of, or changed in, a kernel that is right; the exhibits say which.
enum class Bug {
  kNone,
  // The warp-specialised kernel (hopper.cuh); the last three in clusters.
  kSwizzleMode,
  kNoFullWait,
  kNoEmptyWait,
  kEmptyParity,
  kFullParity,
  kExpectTooFew,
  kExpectTooMany,
  kReleaseInFlight,
  kReleaseLiveStage,
  kNoWgmmaFence,
  kAccumulatorReadEarly,
  kNoStoreWait,
  kNoStoreWaitAtExit,
  kNoProxyFence,
  kUnalignedTile,
  kStrides,
  kFourProducers,
  kArrivalCount,
  kPeerLeavesEarly,
  kMulticastMask,
  kClusterArrivals,
  // A from registers (register_a.cuh).
  kRegistersRewritten,
  kRegistersUnfenced,
  // The Ampere kernel (ampere.cuh).
  kNoCopyWait,
  kCommitInIf,
  kNoSyncBefore,
  kNoSyncAfter,
  kLdmatrixRow,
  kCopyUnaligned,
};

struct Sizes {
  int m, n, k;
};

// C (M, N); k and n multiples of 8, as TMA's strides demand. kCluster: 1 or 2 blocks.
template <Bug bug, int kCluster, class T>
std::size_t run_hopper(const Sizes& sizes);

// C (M, N); k a multiple of 8.
template <Bug bug, class T>
std::size_t run_ampere(const Sizes& sizes);

// D (64, 64), K = 64, whatever is asked for.
template <Bug bug, class T>
std::size_t run_register_a(const Sizes& = {});

// Milliseconds of each of so many launches of the hopper kernel without a bug, M = N = K = size,
// bf16, after one more that does not count.
std::vector<double> time_hopper(int size, int launches);

// What the kernels without a bug are run on, on either backend.
struct CorrectRun {
  std::string name;  // "hopper, cluster of 2, fp16, 200x136x648", or the variant's in result files
  std::string summary;  // of the variant
  Sizes sizes;
  std::size_t (*run)(const Sizes& sizes);  // one launch; how many results are wrong
};

// Hopper: 10 iterations on a ring of 4; ragged everywhere; one tile of each; fewer than the ring
// has stages; smaller than a tile.
inline constexpr Sizes kHopperSizes[] = {
    {256, 256, 640}, {200, 136, 648}, {128, 128, 64}, {128, 256, 128}, {64, 40, 72}};
// Ampere: 10 iterations on a ring of 3, and so on.
inline constexpr Sizes kAmpereSizes[] = {
    {128, 128, 320}, {136, 72, 328}, {64, 64, 32}, {64, 128, 64}, {40, 24, 40}};

inline std::vector<CorrectRun> correct_runs() {
  std::vector<CorrectRun> out;
  const auto add = [&](const std::string& kernel, const Sizes& s, auto bf16, auto fp16) {
    const std::string size =
        std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
    out.push_back({kernel + ", bf16, " + size, "", s, bf16});
    out.push_back({kernel + ", fp16, " + size, "", s, fp16});
  };
  for (const Sizes& sizes : kHopperSizes) {
    add("hopper", sizes, run_hopper<Bug::kNone, 1, core::bf16>,
        run_hopper<Bug::kNone, 1, core::fp16>);
    add("hopper, cluster of 2", sizes, run_hopper<Bug::kNone, 2, core::bf16>,
        run_hopper<Bug::kNone, 2, core::fp16>);
  }
  for (const Sizes& sizes : kAmpereSizes) {
    add("ampere", sizes, run_ampere<Bug::kNone, core::bf16>, run_ampere<Bug::kNone, core::fp16>);
  }
  add("register_a", {64, 64, 64}, run_register_a<Bug::kNone, core::bf16>,
      run_register_a<Bug::kNone, core::fp16>);
  return out;
}

// The same, each on one size of full tiles: what the counters of the CPU backend and those of the
// GPU are compared on.
inline std::vector<CorrectRun> counted_runs() {
  const Sizes sizes{256, 256, 640};
  return {
      {"hopper", "TMA, wgmma, stmatrix", sizes, run_hopper<Bug::kNone, 1, core::bf16>},
      {"hopper_cluster_2", "the same; two blocks share B by multicast", sizes,
       run_hopper<Bug::kNone, 2, core::bf16>},
      {"ampere", "cp.async, ldmatrix, mma.sync", sizes, run_ampere<Bug::kNone, core::bf16>},
      {"register_a", "TMA, wgmma with A in registers", Sizes{64, 64, 64},
       run_register_a<Bug::kNone, core::bf16>},
  };
}

}  // namespace gallery
