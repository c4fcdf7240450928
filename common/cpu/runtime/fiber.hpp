#pragma once
// Execution contexts that are switched by hand: a stack, and the place on it where execution
// stands. A switch is a dozen instructions, on x86-64 and aarch64. A fiber stays on the OS thread
// that started it.

#include <cstddef>
#include <cstdint>

namespace runtime {

class Fiber {
 public:
  using Entry = void (*)(void* argument);  // must never return

  Fiber() = default;  // stands for the OS thread's own stack
  // A stack of at least so many bytes with an inaccessible guard below it: running over faults at
  // once. `number` spreads the busy ends of the stacks, which begin on page boundaries, over the
  // cache. Throws core::DeviceError.
  Fiber(std::size_t stack_bytes, std::size_t number);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next switch to this fiber calls entry(argument) on an empty stack. Whatever stood on the
  // stack before is forgotten without unwinding.
  void prepare(Entry entry, void* argument);

  // Leaves `from`, which is running, and goes on in `to`. Returns when something switches back.
  static void switch_to(Fiber& from, Fiber& to);

  bool stack_holds(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(bottom_) < size_;
  }
  bool guard_holds(const void* address) const;

  void run_entry();  // internal: the first thing that happens on a prepared stack

 private:
  char* bottom_ = nullptr;  // the lowest usable address of the stack
  std::size_t size_ = 0;
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
