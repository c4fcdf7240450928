#pragma once
// What kernels have done since the last reset. Definitions stand in common/cpu/README.md.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace runtime {

// Was this program built to see every load and store of its kernels? Set before main.
inline constinit bool traced = false;

void reset_counters();

// Names and values in a fixed order. Without tracing, only what the scheduler counts by itself.
std::vector<std::pair<std::string, double>> read_counters();

// Of one memory space and direction.
struct AccessCounts {
  std::uint64_t requests = 0;  // warp-wide instructions with at least one active lane
  std::uint64_t units = 0;     // global: 32-byte sectors; shared: wavefronts
  std::uint64_t bytes = 0;     // asked for by the lanes
};

// What one gang has done; nothing but numbers to be added up.
struct Counts {
  // By the scheduler and the asynchronous units.
  std::uint64_t block_barriers = 0;       // __syncthreads() and named barriers, completed
  std::uint64_t mbarrier_waits = 0;       // by threads
  std::uint64_t mbarrier_blocked = 0;     // of these, not over at once
  std::uint64_t tma_load_bytes = 0;       // read from the L2: once for all blocks of a multicast
  std::uint64_t tma_shared_bytes = 0;     // written to shared memory, of all blocks together
  std::uint64_t tma_multicast_bytes = 0;  // of these, by loads for several blocks
  std::uint64_t tma_store_bytes = 0;
  std::uint64_t tensor_flops = 0;  // of mma.sync and wgmma, two for a multiplication and a sum
  // By the tracer.
  AccessCounts global_load, global_store, shared_load, shared_store;
  AccessCounts matrix_load, matrix_store;  // ldmatrix, stmatrix
  AccessCounts copy_global, copy_shared;   // the two sides of cp.async
  std::uint64_t copied_sectors = 0;        // 32-byte pieces of shared memory that cp.async writes
  std::uint64_t mbarrier_arrivals = 0;     // warp-wide, without those that expect bytes
  std::uint64_t fmas = 0;                  // gpu::fma, by threads
};
void add_counts(const Counts& counts);

// --- The L2 model --------------------------------------------------------------------------------

// A second-level cache with least-recently-used replacement, fed with what the asynchronous copies
// (cp.async, TMA) of a grid read, in the order of its blocks' programs. As many blocks as the
// device has multiprocessors take turns, a request each.
inline constexpr std::uint64_t kL2Line = 128;

// What one gang has read: the lines of each request.
class L2Log {
 public:
  void read(std::uint64_t address, std::size_t bytes);
  void end_of_request();
  const std::vector<std::vector<std::uint64_t>>& requests() const { return requests_; }

 private:
  std::vector<std::uint64_t> lines_;  // of the request that has not ended
  std::vector<std::vector<std::uint64_t>> requests_;
};

struct L2Result {
  std::uint64_t lines = 0;  // asked for
  std::uint64_t hits = 0;
};

// Bytes of the model: 60 MiB, as on an H200, or what the environment variable CPU_BACKEND_L2 says.
std::size_t l2_bytes();

void add_l2_log(std::uint64_t gang, std::size_t blocks, L2Log log);
void end_l2_launch();

// Replays what has been added since the reset; one launch after the other.
L2Result run_l2_model();

}  // namespace runtime
