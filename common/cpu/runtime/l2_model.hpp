#pragma once
// A second-level cache with least-recently-used replacement, fed with what the asynchronous copies
// (cp.async, TMA) of a grid read, in the order of its blocks' programs. As many blocks as the
// device has multiprocessors take turns, a request each.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runtime {

inline constexpr std::uint64_t kL2Line = 128;

// What one gang has read, as lines, request by request.
class L2Log {
 public:
  void read(std::uint64_t address, std::size_t bytes);
  void end_of_request();

  // Lines of request `number`: [begin, end) of lines().
  std::size_t requests() const { return ends_.size(); }
  std::size_t begin_of(std::size_t number) const { return number == 0 ? 0 : ends_[number - 1]; }
  std::size_t end_of(std::size_t number) const { return ends_[number]; }
  const std::vector<std::uint64_t>& lines() const { return lines_; }

 private:
  std::vector<std::uint64_t> lines_;
  std::vector<std::size_t> ends_;
};

struct L2Result {
  std::uint64_t lines = 0;  // asked for
  std::uint64_t hits = 0;
};

// Bytes of the model: 60 MiB, as on an H200, or what the environment variable CPU_BACKEND_L2 says.
std::size_t l2_bytes();

void reset_l2_logs();
void add_l2_log(std::uint64_t gang, std::size_t blocks, L2Log log);
void end_l2_launch();

// Replays what has been added since the reset; one launch after the other.
L2Result run_l2_model();

}  // namespace runtime
