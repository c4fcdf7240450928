#include <runtime/faults.hpp>

#include <core/error.hpp>
#include <runtime/current.hpp>
#include <runtime/gang.hpp>
#include <runtime/sanitizer.hpp>

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

namespace runtime {

namespace {

constexpr std::size_t kSignalStack = 64 * 1024;

struct sigaction previous_segv, previous_bus;

void on_fault(int number, siginfo_t* info, void* context) {
  if (current.thread != nullptr) {
    const Thread& thread = *current.thread;
    const uint3& block = thread.warp->block->index;
    char text[320];
    const int length =
        current.gang->in_stack_guard(info->si_addr)
            ? std::snprintf(
                  text, sizeof text,
                  "stack overflow: a kernel thread has %zu bytes of stack and wanted more "
                  "(block (%u,%u,%u), thread %u)\n",
                  current.gang->stack_bytes(), block.x, block.y, block.z, thread.number)
            : std::snprintf(text, sizeof text,
                            "invalid address %p in a kernel (block (%u,%u,%u), thread %u)\n",
                            info->si_addr, block.x, block.y, block.z, thread.number);
    if (length > 0 && write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) _exit(3);
    _exit(core::kDeviceError);
  }
  const struct sigaction& previous = number == SIGSEGV ? previous_segv : previous_bus;
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(number, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    return previous.sa_handler(number);
  }
  signal(number, SIG_DFL);  // the instruction faults again when this returns, for good
}

void install(int number, struct sigaction& previous) {
  struct sigaction action = {}, old = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(number, nullptr, &old);
  if ((old.sa_flags & SA_SIGINFO) != 0 && old.sa_sigaction == on_fault) return;
  previous = old;
  sigaction(number, &action, nullptr);
}

}  // namespace

FaultGuard::FaultGuard() {
  if (kAddressSanitizer) return;  // it reports faults itself, with a backtrace
  void* memory =
      mmap(nullptr, kSignalStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;  // faults will end the program without a sentence
  stack_ = memory;
  stack_t stack = {}, old = {};
  stack.ss_sp = memory;
  stack.ss_size = kSignalStack;
  sigaltstack(&stack, &old);
  previous_ = (old.ss_flags & SS_DISABLE) != 0 ? nullptr : new stack_t(old);
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  install(SIGSEGV, previous_segv);
  install(SIGBUS, previous_bus);
}

FaultGuard::~FaultGuard() {
  if (stack_ == nullptr) return;
  stack_t disabled = {};
  disabled.ss_flags = SS_DISABLE;
  auto* previous = static_cast<stack_t*>(previous_);
  sigaltstack(previous != nullptr ? previous : &disabled, nullptr);
  delete previous;
  munmap(stack_, kSignalStack);
}

}  // namespace runtime
