#include <runtime/launch.hpp>

#include <core/error.hpp>
#include <runtime/current.hpp>
#include <runtime/faults.hpp>
#include <runtime/settings.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>

namespace runtime {

namespace {

// Gangs are kept for the next launch, with their stacks and shared memory.
class GangPool {
 public:
  std::unique_ptr<Gang> take() {
    {
      const std::lock_guard lock(mutex_);
      while (!idle_.empty()) {
        std::unique_ptr<Gang> gang = std::move(idle_.back());
        idle_.pop_back();
        if (gang->stack_bytes() != stack_bytes()) continue;
        gang->reset_fibers();
        return gang;
      }
    }
    return std::make_unique<Gang>();
  }
  void give_back(std::unique_ptr<Gang> gang) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(gang));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Gang>> idle_;
};

GangPool& pool() {
  static GangPool instance;
  return instance;
}

[[noreturn]] void refuse(const std::string& why) {
  throw core::DeviceError("kernel launch: " + why);
}

// What the CUDA driver would reject (CUDA C++ Programming Guide, table of compute capabilities).
void check_limits(const Grid& grid) {
  const std::uint64_t threads = std::uint64_t{grid.threads.x} * grid.threads.y * grid.threads.z;
  if (threads == 0 || threads > 1024 || grid.threads.z > 64) {
    refuse(std::to_string(grid.threads.x) + "x" + std::to_string(grid.threads.y) + "x" +
           std::to_string(grid.threads.z) + " threads per block: 1 to 1024, at most 64 along z");
  }
  if (grid.blocks.x > 0x7fffffffu || grid.blocks.y > 65535 || grid.blocks.z > 65535) {
    refuse("grid of " + std::to_string(grid.blocks.x) + "x" + std::to_string(grid.blocks.y) + "x" +
           std::to_string(grid.blocks.z) + " blocks: at most 2147483647x65535x65535");
  }
  if (grid.dynamic_smem > kMaxShared) {
    refuse(std::to_string(grid.dynamic_smem) + " bytes of dynamic shared memory: at most " +
           std::to_string(kMaxShared));
  }
  const dim3& c = grid.cluster;
  if (c.x == 0 || c.y == 0 || c.z == 0 || std::uint64_t{c.x} * c.y * c.z > 16 ||
      grid.blocks.x % c.x != 0 || grid.blocks.y % c.y != 0 || grid.blocks.z % c.z != 0) {
    refuse("cluster of " + std::to_string(c.x) + "x" + std::to_string(c.y) + "x" +
           std::to_string(c.z) +
           " blocks: at most 16, and a divisor of the grid in each dimension");
  }
}

// What the workers of one launch share.
struct Job {
  const Grid& grid;
  const Policy policy;
  const std::shared_ptr<const Ranges> memory;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> failed{std::numeric_limits<std::uint64_t>::max()};
  std::mutex mutex;
  std::exception_ptr error;
};

// Gangs are handed out in order and those before a failed one are finished, so the error of the
// lowest gang is found whatever the workers' pace.
void work(Job& job) {
  std::unique_ptr<Gang> gang;
  const std::uint64_t count = job.grid.gangs();
  const FaultGuard faults;
  current.memory.begin(job.memory.get());
  for (;;) {
    const std::uint64_t number = job.next.fetch_add(1);
    if (number >= count || number > job.failed.load()) break;
    try {
      if (gang == nullptr) gang = pool().take();
      gang->run(job.grid, number, job.policy);
    } catch (...) {
      const std::lock_guard lock(job.mutex);
      if (number < job.failed.load()) {
        job.failed = number;
        job.error = std::current_exception();
      }
    }
  }
  current.memory.begin(nullptr);
  if (gang != nullptr) pool().give_back(std::move(gang));
}

}  // namespace

void run_grid(const Grid& grid) {
  if (current.thread != nullptr) refuse("from within a kernel");
  check_limits(grid);
  Job job{.grid = grid, .policy = policy(), .memory = live_allocations(), .mutex = {}, .error = {}};
  std::vector<std::thread> helpers;
  const auto wanted = static_cast<std::uint64_t>(workers());
  for (std::uint64_t i = 1; i < std::min(wanted, grid.gangs()); ++i) {
    helpers.emplace_back([&job] { work(job); });
  }
  work(job);
  for (std::thread& helper : helpers) helper.join();
  if (job.error) std::rethrow_exception(job.error);
  check_guards();
}

}  // namespace runtime
