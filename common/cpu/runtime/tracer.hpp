#pragma once
// Gathers the accesses of single threads into the requests of warps.

#include <runtime/counters.hpp>
#include <runtime/current.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace runtime {

// The lanes of a warp at one load or store instruction; all active lanes access `bytes` each.
struct Request {
  std::uint64_t address[32];
  std::uint32_t active = 0;  // by lane
  std::uint32_t bytes = 0;
};

// Distinct 32-byte sectors that the active lanes touch: ncu's l1tex__t_sectors for this request.
unsigned global_sectors(const Request& request);

// Passes through the 32 banks of 4 bytes: ncu's l1tex__data_pipe_lsu_wavefronts. Accesses of up to
// 4 bytes are served in one phase of 32 lanes, of 8 bytes in two of 16, of 16 bytes in four of 8. A
// phase takes as many wavefronts as the busiest bank holds different words; lanes at the same word
// share it.
//
// Loads of 8 and 16 bytes have a discount: when every active lane has the address of the lane whose
// number differs in bit 0, or every one that of the lane which differs in bit 1, phases hold twice
// as many lanes. (Undocumented; read off the counters of an H200, for loads and for stores.)
unsigned shared_wavefronts(const Request& request, bool load);

// Of the eight rows of 16 bytes that make one matrix of ldmatrix or stmatrix: as many wavefronts as
// different rows share one eighth of the banks.
unsigned matrix_wavefronts(const std::uint64_t (&rows)[8]);

// Lanes run one after another, so a request is pieced together: the n-th accesses of all lanes at
// some place belong to one. Counting begins anew whenever the warp meets (barrier, shuffle, end).
class Tracer {
 public:
  void begin_gang(Gang& gang);
  // One access by the running thread. `place` tells instructions apart. A thread held back by a
  // predicate takes its turn with `active` false.
  void access(std::uint64_t place, std::uintptr_t address, std::size_t bytes, Access kind,
              bool active);
  // One matrix of an ldmatrix (kLoad) or stmatrix (kStore), by its rows; `first` of the
  // instruction's.
  void matrix(const std::uint64_t (&rows)[8], bool first, Access kind);
  // A piece of a box that TMA loads, in the order of the block's program; then the end of the box.
  void box_row(const void* memory, std::size_t bytes);
  void end_of_box() { log_.end_of_request(); }
  // All live lanes of the warp have met: what they did before belongs to requests now complete.
  void warp_met(const Warp& warp);
  void end_gang();

 private:
  enum class Space : std::uint8_t { kNone, kGlobal, kShared };

  struct Pending {
    Request request;
    Space space = Space::kNone;  // known once a lane is active
    Access kind = Access::kLoad;
  };
  struct Place {
    std::uint32_t turn[32] = {};   // accesses so far, by lane
    std::vector<Pending> pending;  // by turn
    std::size_t used = 0;
  };
  struct WarpLog {
    std::vector<Place> places;     // by number
    std::vector<unsigned> active;  // numbers of places with pending requests
  };

  Space space_of(std::uintptr_t address, std::size_t bytes) const;
  unsigned number_of(std::uint64_t place);
  void log_request(const Request& request);

  Gang* gang_ = nullptr;
  std::vector<WarpLog> warps_;
  std::unordered_map<std::uint64_t, unsigned> numbers_;
  struct Known {
    std::uint64_t place = 0;
    unsigned number = 0;
  };
  Known known_[256] = {};  // a cache in front of numbers_
  L2Log log_;
};

}  // namespace runtime
