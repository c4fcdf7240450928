#include <runtime/fiber.hpp>

#include <core/error.hpp>
#include <runtime/report.hpp>
#include <runtime/sanitizer.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#if defined(RUNTIME_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

namespace runtime {

static std::size_t page_size() {
  static const std::size_t size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// Wide enough that a frame with a few large arrays cannot step over it.
static std::size_t guard_size() {
  return 4 * page_size();
}

Fiber::Fiber(std::size_t stack_bytes, std::size_t number) {
  constexpr std::size_t kSpread = 4096, kStep = 448;  // multiples of a cache line
  offset_ = number * kStep % kSpread;
  size_ = (stack_bytes + kSpread + page_size() - 1) / page_size() * page_size();
  void* memory = mmap(nullptr, guard_size() + size_, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) bottom_ = static_cast<char*>(memory) + guard_size();
  if (bottom_ == nullptr || mprotect(bottom_, size_, PROT_READ | PROT_WRITE) != 0) {
    throw core::DeviceError(join("no memory for a thread's stack: ", std::strerror(errno)));
  }
}

Fiber::~Fiber() {
  if (bottom_ != nullptr) munmap(bottom_ - guard_size(), guard_size() + size_);
}

bool Fiber::guard_holds(const void* address) const {
  const char* byte = static_cast<const char*>(address);
  return bottom_ != nullptr && byte >= bottom_ - guard_size() && byte < bottom_;
}

#if defined(RUNTIME_ADDRESS_SANITIZER)
static thread_local Fiber* left = nullptr;  // the fiber that the running one was switched to from
#endif

// Saves what the ABI lets a callee not change, stores the stack pointer in *save, adopts `load` as
// the stack pointer and takes back what was saved there. The floating-point control word is not
// saved: nothing here changes it.
extern "C" void runtime_fiber_switch(void** save, void* load);
extern "C" void runtime_fiber_start();

#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .globl runtime_fiber_switch
  .hidden runtime_fiber_switch
  .type runtime_fiber_switch, @function
runtime_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .size runtime_fiber_switch, . - runtime_fiber_switch

  .globl runtime_fiber_start
  .hidden runtime_fiber_start
  .type runtime_fiber_start, @function
runtime_fiber_start:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  callq *%r13
  ud2
  .cfi_endproc
  .size runtime_fiber_start, . - runtime_fiber_start
)");

// r15 r14 r13 r12 rbx rbp, the address to go on at, and two words of padding: once the seven are
// popped the stack pointer is a multiple of 16, the ABI's rule at a call.
constexpr int kSavedWords = 9;
constexpr int kSlotArgument = 3, kSlotEntry = 2, kSlotAddress = 6;

#elif defined(__aarch64__)
asm(R"(
  .text
  .p2align 4
  .globl runtime_fiber_switch
  .hidden runtime_fiber_switch
  .type runtime_fiber_switch, %function
runtime_fiber_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size runtime_fiber_switch, . - runtime_fiber_switch

  .globl runtime_fiber_start
  .hidden runtime_fiber_start
  .type runtime_fiber_start, %function
runtime_fiber_start:
  .cfi_startproc
  .cfi_undefined x30
  mov x0, x19
  blr x20
  brk #1
  .cfi_endproc
  .size runtime_fiber_start, . - runtime_fiber_start
)");

constexpr int kSavedWords = 20;  // x19 ... x30, d8 ... d15: a multiple of 16 bytes, as sp must be
constexpr int kSlotArgument = 0, kSlotEntry = 1, kSlotAddress = 11;

#else
#error "a switch of stacks is written for x86-64 and aarch64 alone"
#endif

static void begin(void* fiber) {
  static_cast<Fiber*>(fiber)->run_entry();
}

void Fiber::prepare(Entry entry, void* argument) {
  entry_ = entry;
  argument_ = argument;
  allow(bottom_, size_);
  fake_stack_ = nullptr;
  known_bottom_ = bottom_;
  known_size_ = size_;
  auto** saved = reinterpret_cast<void**>(bottom_ + size_ - offset_) - kSavedWords;
  for (int i = 0; i < kSavedWords; ++i) saved[i] = nullptr;
  saved[kSlotArgument] = this;
  saved[kSlotEntry] = reinterpret_cast<void*>(&begin);
  saved[kSlotAddress] = reinterpret_cast<void*>(&runtime_fiber_start);
  state_ = saved;
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
#if defined(RUNTIME_ADDRESS_SANITIZER)
  left = &from;
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.known_bottom_, to.known_size_);
#endif
  runtime_fiber_switch(&from.state_, to.state_);
#if defined(RUNTIME_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(from.fake_stack_, &left->known_bottom_, &left->known_size_);
#endif
}

void Fiber::run_entry() {
#if defined(RUNTIME_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(nullptr, &left->known_bottom_, &left->known_size_);
#endif
  entry_(argument_);
  __builtin_trap();
}

}  // namespace runtime
