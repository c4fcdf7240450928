#pragma once
// Gathers the accesses of single threads into the requests of warps.

#include <runtime/coalescing.hpp>
#include <runtime/counters.hpp>
#include <runtime/l2_model.hpp>
#include <runtime/trace.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace runtime {

// Lanes run one after another, so a request is pieced together: the n-th access of a lane at some
// place belongs to the same request as every other lane's n-th access there. Counting begins anew
// whenever the warp meets (barrier, shuffle, end), so that lanes which have taken different turns
// of a loop fall into step again.
class Tracer final : public Trace {
 public:
  void begin_gang(const Gang& gang) override;
  void access(std::uint64_t place, std::uintptr_t address, std::size_t bytes, Access kind,
              bool active) override;
  void matrix(const std::uint64_t (&rows)[8], bool first, Access kind) override;
  void box_row(const void* memory, std::size_t bytes) override;
  void end_of_box() override;
  void warp_met(const Warp& warp) override;
  void end_gang() override;

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

  const Gang* gang_ = nullptr;
  std::vector<WarpLog> warps_;
  std::unordered_map<std::uint64_t, unsigned> numbers_;
  struct Known {
    std::uint64_t place = 0;
    unsigned number = 0;
  };
  Known known_[256] = {};  // a cache in front of numbers_
  Totals totals_;
  L2Log log_;
};

}  // namespace runtime
