#pragma once
// What is known of each 16 bytes of a block's shared memory beyond their value: enough to name the
// mistakes that turn up between ordinary (generic) accesses and asynchronous ones.

#include <runtime/site.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runtime {

struct Block;
struct Thread;

inline constexpr std::uint32_t kChunk = 16;  // bytes

class Shadow {
 public:
  struct Chunk {
    std::uint32_t writer = 0;  // who wrote it last by a word, and how many proxy fences before
    std::uint8_t swizzle = 0;  // 1 + SwizzleMode of the TMA load that wrote it; 0: something else
    std::uint16_t copies = 0;  // cp.async under way whose group nobody has waited for
  };

  void begin() { chunks_.clear(); }
  bool known() const { return !chunks_.empty(); }
  // The chunk that holds the byte at this offset of the block's window.
  Chunk& at(std::uint32_t offset);
  const Chunk& look(std::uint32_t offset) const {
    static constexpr Chunk kNothing;
    return offset / kChunk < chunks_.size() ? chunks_[offset / kChunk] : kNothing;
  }

 private:
  std::vector<Chunk> chunks_;  // as far as anything is known
};

// An ordinary access by a word, [offset, offset + bytes) of the block's window, by the thread.
// core::DeviceError when an asynchronous operation still works on these bytes.
void note_generic_write(Thread& thread, std::uint32_t offset, std::uint32_t bytes, Site where);
void note_generic_read(Thread& thread, std::uint32_t offset, std::uint32_t bytes, Site where);

// The same for a cp.async that is issued.
void note_copy_write(Thread& thread, std::uint32_t offset, std::uint32_t bytes, Site where);

// Ordinary writes that nothing can object to any more: a cp.async that has been waited for.
void mark_writer(Thread& thread, std::uint32_t offset);

// An asynchronous read of one chunk (`word` is "wgmma" or "tma_store"): core::DeviceError when a
// copy has not been waited for or an ordinary write has no proxy fence behind it.
void check_async_read(const Block& block, std::uint32_t offset, const char* word, Site where);

// PTX fence.proxy.async by this thread.
void note_proxy_fence(Thread& thread);

}  // namespace runtime
