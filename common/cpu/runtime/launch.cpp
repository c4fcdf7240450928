#include <runtime/gang.hpp>
#include <runtime/happenings.hpp>

#include <core/error.hpp>
#include <runtime/report.hpp>
#include <runtime/sanitizer.hpp>
#include <runtime/settings.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace runtime {

namespace {

constexpr std::size_t kSignalStack = 64 * 1024;

void on_fault(int number, siginfo_t* info, void*) {
  if (current.thread != nullptr) {
    const Thread& thread = *current.thread;
    const uint3& block = thread.warp->block->index;
    if (current.gang->in_stack_guard(info->si_addr)) {
      dprintf(STDERR_FILENO,
              "stack overflow: a kernel thread has %zu bytes of stack and wanted more",
              current.gang->stack_bytes());
    } else {
      dprintf(STDERR_FILENO, "invalid address %p in a kernel", info->si_addr);
    }
    dprintf(STDERR_FILENO, " (block (%u,%u,%u), thread %u)\n", block.x, block.y, block.z,
            thread.number);
    _exit(core::kDeviceError);
  }
  signal(number, SIG_DFL);  // the instruction faults again when this returns, for good
}

// From here on this OS thread takes SIGSEGV and SIGBUS on a stack of their own. A fault inside a
// kernel is told to stderr and ends the program with exit status 3; others end it as ever.
// AddressSanitizer reports faults itself, with a backtrace.
void watch_for_faults() {
  if (kAddressSanitizer) return;
  static thread_local char memory[kSignalStack];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kSignalStack;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
}

// Gangs are kept for the next launch, with their stacks and shared memory.
std::mutex idle_mutex;
std::vector<std::unique_ptr<Gang>> idle_gangs;

std::unique_ptr<Gang> take_gang() {
  const std::lock_guard lock(idle_mutex);
  while (!idle_gangs.empty()) {
    std::unique_ptr<Gang> gang = std::move(idle_gangs.back());
    idle_gangs.pop_back();
    if (gang->stack_bytes() != stack_bytes()) continue;
    gang->reset_fibers();
    return gang;
  }
  return std::make_unique<Gang>();
}

// Linux lets a process map 65530 pieces of memory, and a stack with its guard is two.
constexpr std::size_t kMostIdleStacks = 8192;

void give_back(std::unique_ptr<Gang> gang) {
  const std::lock_guard lock(idle_mutex);
  std::size_t stacks = gang->stacks();
  for (const auto& idle : idle_gangs) stacks += idle->stacks();
  if (stacks <= kMostIdleStacks) idle_gangs.push_back(std::move(gang));
}

template <class... Parts>
[[noreturn]] void refuse(const Parts&... why) {
  throw core::DeviceError(join("kernel launch: ", why...));
}

// What the CUDA driver would reject (CUDA C++ Programming Guide, table of compute capabilities).
void check_limits(const Grid& grid) {
  const std::uint64_t threads = std::uint64_t{grid.threads.x} * grid.threads.y * grid.threads.z;
  if (threads == 0 || threads > 1024 || grid.threads.z > 64) {
    refuse(grid.threads.x, "x", grid.threads.y, "x", grid.threads.z,
           " threads per block: 1 to 1024, at most 64 along z");
  }
  if (grid.blocks.x > 0x7fffffffu || grid.blocks.y > 65535 || grid.blocks.z > 65535) {
    refuse("grid of ", grid.blocks.x, "x", grid.blocks.y, "x", grid.blocks.z,
           " blocks: at most 2147483647x65535x65535");
  }
  if (grid.dynamic_smem > kMaxShared) {
    refuse(grid.dynamic_smem, " bytes of dynamic shared memory: at most ", kMaxShared);
  }
  const dim3& c = grid.cluster;
  if (c.x == 0 || c.y == 0 || c.z == 0 || std::uint64_t{c.x} * c.y * c.z > 16 ||
      grid.blocks.x % c.x != 0 || grid.blocks.y % c.y != 0 || grid.blocks.z % c.z != 0) {
    refuse("cluster of ", c.x, "x", c.y, "x", c.z,
           " blocks: at most 16, and a divisor of the grid in each dimension");
  }
}

// In which order gangs begin. CUDA promises none: under a random policy it is drawn from the seed,
// otherwise it is that of the grid, as the hardware has it.
struct Order {
  std::uint64_t gangs, first = 0, step = 1;

  Order(std::uint64_t gangs_, const Policy& policy) : gangs(gangs_) {
    // No grid as large as the limit ever ends; below it products of two numbers fit.
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;
    if (policy.completion != Completion::kRandom || gangs < 2 || gangs > kLimit) return;
    Dice dice(policy.seed);
    first = dice() % gangs;
    do {
      step = dice() % gangs;
    } while (std::gcd(step, gangs) != 1);  // or some would never begin
  }
  std::uint64_t gang(std::uint64_t place) const { return (first + place * step % gangs) % gangs; }
};

// What the workers of one launch share.
struct Job {
  const Grid& grid;
  const Policy policy;
  const Order order;
  const std::shared_ptr<const Ranges> memory;
  std::atomic<std::uint64_t> next{0};  // place in the order
  std::atomic<std::uint64_t> failed{std::numeric_limits<std::uint64_t>::max()};
  std::mutex mutex{};  // of what follows
  std::exception_ptr error{};
  bool only_deadlock = false;   // the error is a consequence, not a cause
  unsigned busy = 0;            // workers that run something
  std::vector<Gang*> asleep{};  // gangs that stand aside on workers that are not busy

  // Of several errors the one of the first gang counts; blocks that wait for one that has failed
  // are not worth a word.
  void fail(std::uint64_t place, std::exception_ptr what, bool deadlock) {
    const std::lock_guard lock(mutex);
    const bool better = deadlock == only_deadlock ? place < failed.load() : !deadlock;
    if (error && !better) return;
    failed = place;
    error = std::move(what);
    only_deadlock = deadlock;
  }
};

// One OS thread of a launch. Gangs before a failed one are finished, so the error of the first gang
// is found. A gang that waits for a semaphore stands aside while its worker runs others.
class Worker {
 public:
  explicit Worker(Job& job) : job_(job) {}

  void work() {
    watch_for_faults();
    current.memory.begin(job_.memory.get());
    while (resume_one() || start_one() || wait_for_others()) {
    }
    current.memory.begin(nullptr);
    if (idle_ != nullptr) give_back(std::move(idle_));
  }

 private:
  // A gang that waits for semaphores, and its place in the order.
  struct Aside {
    std::unique_ptr<Gang> gang;
    std::uint64_t place;
  };

  // Runs a step of a gang; one that has to stand aside joins the others that do.
  template <class Step>
  void step(std::unique_ptr<Gang> gang, std::uint64_t place, Step run) {
    try {
      if (gang == nullptr) gang = take_gang();
      if (!run(*gang)) return aside_.push_back({std::move(gang), place});
    } catch (...) {
      job_.fail(place, std::current_exception(), false);
    }
    if (idle_ == nullptr) {
      idle_ = std::move(gang);
    } else if (gang != nullptr) {
      give_back(std::move(gang));
    }
  }

  bool resume_one() {
    const auto found = std::find_if(aside_.begin(), aside_.end(), can_resume);
    if (found == aside_.end()) return false;
    Aside chosen = std::move(*found);
    aside_.erase(found);
    step(std::move(chosen.gang), chosen.place, [](Gang& gang) { return gang.resume(); });
    return true;
  }

  bool start_one() {
    const std::uint64_t place = job_.next.fetch_add(1);
    if (place >= job_.grid.gangs() || place > job_.failed.load()) return false;
    step(std::move(idle_), place,
         [&](Gang& gang) { return gang.run(job_.grid, job_.order.gang(place), job_.policy); });
    return true;
  }

  // All of this worker's gangs stand aside. True: one of them can go on, since another worker has
  // set what it waits for. False: there are none, or no worker can help.
  bool wait_for_others() {
    std::unique_lock lock(job_.mutex);
    for (const Aside& aside : aside_) job_.asleep.push_back(aside.gang.get());
    --job_.busy;
    const auto asleep_can = [](const Gang* gang) { return gang->can_resume(); };
    bool resumes = false;
    while (!aside_.empty()) {
      resumes = std::any_of(aside_.begin(), aside_.end(), can_resume);
      if (resumes) break;
      if (job_.busy == 0 && std::none_of(job_.asleep.begin(), job_.asleep.end(), asleep_can)) {
        break;
      }
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      lock.lock();
    }
    std::erase_if(job_.asleep, [&](const Gang* asleep) {
      return std::any_of(aside_.begin(), aside_.end(),
                         [&](const Aside& aside) { return aside.gang.get() == asleep; });
    });
    if (resumes) return ++job_.busy, true;
    lock.unlock();
    for (const Aside& aside : aside_) {
      const core::DeviceError error(deadlock_report(aside.gang->blocks()));
      job_.fail(aside.place, std::make_exception_ptr(error), true);
      aside.gang->reset_fibers();
    }
    return false;
  }

  static bool can_resume(const Aside& aside) { return aside.gang->can_resume(); }

  Job& job_;
  std::unique_ptr<Gang> idle_;  // ready for the next place
  std::vector<Aside> aside_;
};

}  // namespace

void run_grid(const Grid& grid) {
  if (current.thread != nullptr) refuse("from within a kernel");
  check_limits(grid);
  Job job{grid, policy(), {grid.gangs(), policy()}, live_allocations()};
  const auto count =
      std::max<std::uint64_t>(1, std::min(static_cast<std::uint64_t>(workers()), grid.gangs()));
  job.busy = static_cast<unsigned>(count);
  std::vector<std::thread> helpers;
  for (std::uint64_t i = 1; i < count; ++i) helpers.emplace_back([&job] { Worker(job).work(); });
  Worker(job).work();
  for (std::thread& helper : helpers) helper.join();
  if (happenings != nullptr && !happenings->empty()) happenings = nullptr;
  end_l2_launch();
  if (job.error) {
    repair_guards();
    std::rethrow_exception(job.error);
  }
  check_guards();
}

}  // namespace runtime
