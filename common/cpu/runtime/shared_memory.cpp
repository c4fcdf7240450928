#include <runtime/shared_memory.hpp>

#include <core/error.hpp>
#include <runtime/current.hpp>
#include <runtime/gang.hpp>
#include <runtime/report.hpp>
#include <runtime/sanitizer.hpp>

#include <atomic>
#include <cstring>
#include <string>

#if defined(RUNTIME_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace runtime {

unsigned next_shared_slot() {
  static std::atomic<unsigned> next{0};
  return next++;
}

namespace {

constexpr std::size_t kGap = 128;  // one row of banks: offsets keep their bank

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

void give(std::byte* memory, std::size_t bytes) {
#if defined(RUNTIME_ADDRESS_SANITIZER)
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
  std::memset(memory, kPoison, bytes);
}

}  // namespace

void SharedMemory::begin(std::byte* window, std::size_t dynamic_bytes) {
  window_ = window;
  dynamic_bytes_ = dynamic_bytes;
  static_begin_ = static_end_ = round_up(dynamic_bytes + kGap, kSharedAlignment);
  static_bytes_ = 0;
  objects_.clear();
#if defined(RUNTIME_ADDRESS_SANITIZER)
  ASAN_POISON_MEMORY_REGION(window, kSharedWindow);
#endif
  give(window, dynamic_bytes);
}

void SharedMemory::place(unsigned slot, std::size_t bytes) {
  static_bytes_ += bytes;
  if (static_bytes_ > kMaxStaticShared || dynamic_bytes_ + static_bytes_ > kMaxShared) {
    throw core::DeviceError(join("shared memory: ", static_bytes_, " static bytes beside ",
                                 dynamic_bytes_,
                                 " dynamic ones; a block has 49152 static and 232448 in all"));
  }
  const std::size_t offset =
      static_end_ == static_begin_ ? static_begin_ : round_up(static_end_ + kGap, kSharedAlignment);
  static_end_ = offset + bytes;
  if (static_end_ > kSharedWindow) {
    throw core::DeviceError("shared memory: too many small static objects for one block");
  }
  if (slot >= objects_.size()) objects_.resize(slot + 1, nullptr);
  objects_[slot] = window_ + offset;
  give(window_ + offset, bytes);
}

void* static_object(unsigned slot, std::size_t bytes) {
  const SharedMemory& mine = current.block->shared_memory;
  if (mine.object(slot) == nullptr) {
    for (Block& block : current.gang->blocks()) block.shared_memory.place(slot, bytes);
  }
  return mine.object(slot);
}

}  // namespace runtime
