#pragma once
// Execution contexts that are switched by hand: a stack, and the place on it where execution
// stands. A switch is a dozen instructions, on x86-64 and aarch64. A fiber stays on the OS thread
// that started it.

#include <cstddef>

namespace runtime {

// Memory for a stack, with an inaccessible guard below it: running over faults at once.
class Stack {
 public:
  Stack() = default;
  explicit Stack(std::size_t usable_bytes);  // rounded up to pages; throws core::DeviceError
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  char* bottom() const { return bottom_; }  // the lowest usable address
  std::size_t size() const { return size_; }
  bool guard_holds(const void* address) const;

 private:
  char* bottom_ = nullptr;
  std::size_t size_ = 0;
};

class Fiber {
 public:
  using Entry = void (*)(void* argument);  // must never return

  Fiber() = default;  // stands for the OS thread's own stack
  // `number` spreads the busy ends of the stacks, which begin on page boundaries, over the cache.
  Fiber(std::size_t stack_bytes, std::size_t number)
      : stack_(stack_bytes + kSpread), offset_(number * kStep % kSpread) {}

  // The next switch to this fiber calls entry(argument) on an empty stack. Whatever stood on the
  // stack before is forgotten without unwinding.
  void prepare(Entry entry, void* argument);

  // Leaves `from`, which is running, and goes on in `to`. Returns when something switches back.
  static void switch_to(Fiber& from, Fiber& to);

  const Stack& stack() const { return stack_; }

  void run_entry();  // internal: the first thing that happens on a prepared stack

 private:
  static constexpr std::size_t kSpread = 4096, kStep = 448;  // multiples of a cache line

  Stack stack_;
  std::size_t offset_ = 0;  // from the stack's upper end
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
  void* state_ = nullptr;  // while it does not run: what was saved, on its own stack
  // What AddressSanitizer wants to know of a stack that is switched to.
  void* fake_stack_ = nullptr;
  const void* known_bottom_ = nullptr;
  std::size_t known_size_ = 0;
};

}  // namespace runtime
