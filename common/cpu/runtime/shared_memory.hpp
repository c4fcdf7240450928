#pragma once
// A block's shared memory: the dynamic part first, then the static objects in the order in which
// they are first named, each between poisoned gaps.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runtime {

inline constexpr std::size_t kMaxStaticShared = 48 * 1024;
inline constexpr std::size_t kMaxShared = 227 * 1024;     // per block, compute capability 9.0
inline constexpr std::size_t kSharedWindow = 256 * 1024;  // address space set aside per block
inline constexpr std::size_t kSharedAlignment = 1024;
inline constexpr int kPoison = 0xff;  // as fp32, bf16 or fp16: a NaN

class SharedMemory {
 public:
  // `window`: kSharedWindow bytes of this block's own. Poisons the dynamic part.
  void begin(std::byte* window, std::size_t dynamic_bytes);

  // The static object of number `slot`; null until it has been placed.
  void* object(unsigned slot) const { return slot < objects_.size() ? objects_[slot] : nullptr; }
  void place(unsigned slot, std::size_t bytes);
  std::byte* dynamic() const { return window_; }
  std::size_t dynamic_bytes() const { return dynamic_bytes_; }

  // Does [address, address + bytes) lie within the dynamic part or the static objects?
  bool holds(std::uintptr_t address, std::size_t bytes) const {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(window_);
    return offset + bytes <= dynamic_bytes_ ||
           (offset >= static_begin_ && offset + bytes <= static_end_);
  }
  std::byte* window() const { return window_; }

 private:
  std::byte* window_ = nullptr;
  std::size_t dynamic_bytes_ = 0;
  std::size_t static_begin_ = 0, static_end_ = 0, static_bytes_ = 0;
  std::vector<void*> objects_;  // by slot
};

// The static object of number `slot` in the running block. It is placed in all blocks of the
// cluster at once: they hold it at the same offset whoever names it first, as map_shared() needs.
void* static_object(unsigned slot, std::size_t bytes);

// A number for every type that static_smem() is called with.
unsigned next_shared_slot();
template <class T>
inline const unsigned shared_slot = next_shared_slot();

}  // namespace runtime
