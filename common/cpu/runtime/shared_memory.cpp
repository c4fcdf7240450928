#include <runtime/memory.hpp>

#include <core/error.hpp>
#include <runtime/gang.hpp>
#include <runtime/report.hpp>
#include <runtime/sanitizer.hpp>

#include <atomic>
#include <cstring>

namespace runtime {

unsigned next_shared_slot() {
  static std::atomic<unsigned> next{0};
  return next++;
}

constexpr std::size_t kGap = 128;  // one row of banks: offsets keep their bank

static std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

static void give(std::byte* memory, std::size_t bytes) {
  allow(memory, bytes);
  std::memset(memory, kPoison, bytes);
}

void SharedMemory::begin(std::byte* window, std::size_t dynamic_bytes) {
  window_ = window;
  dynamic_bytes_ = dynamic_bytes;
  static_begin_ = static_end_ = round_up(dynamic_bytes + kGap, kSharedAlignment);
  static_bytes_ = 0;
  objects_.clear();
  forbid(window, kSharedWindow);
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

// A writer: the thread's number in the block, from 1, above the count of its proxy fences.
constexpr unsigned kFenceBits = 20;
constexpr std::uint32_t kFenceMask = (1u << kFenceBits) - 1;

std::uint32_t writer_of(const Thread& thread) {
  return (thread.number + 1) << kFenceBits | (thread.proxy_fences & kFenceMask);
}

Shadow::Chunk& Shadow::at(std::uint32_t offset) {
  const std::size_t number = offset / kChunk;
  if (number >= chunks_.size()) chunks_.resize(number + 1);
  return chunks_[number];
}

void note_shared(Thread& thread, const void* pointer, std::uint32_t bytes, Access access,
                 Site where) {
  Block& block = *thread.warp->block;
  const bool writes = access != Access::kLoad;
  if (!writes && !block.shadow.known()) return;
  const auto offset = static_cast<std::uint32_t>(static_cast<const std::byte*>(pointer) -
                                                 block.shared_memory.window());
  const char* word = writes ? "a store" : "a load";
  const Touch touch{block, offset, offset + bytes, word, where, writes};
  Gang& gang = *block.gang;
  if (access != Access::kCopy) gang.copies().check(touch);
  if (!gang.tma().idle()) gang.tma().check(touch);
  if (!writes) return;
  if (!gang.tensor_cores().idle()) gang.tensor_cores().check_write(touch);
  for (std::uint32_t chunk = offset; chunk < offset + bytes; chunk += kChunk) {
    Shadow::Chunk& known = block.shadow.at(chunk);
    known.writer = writer_of(thread);
    known.swizzle = 0;
  }
}

void check_async_read(const Block& block, std::uint32_t offset, const char* word, Site where) {
  const Shadow::Chunk& known = block.shadow.look(offset);
  const Touch touch{block, offset, offset + kChunk, word, where};
  if (known.copies > 0) block.gang->copies().check(touch);
  if (known.writer == 0) return;
  const Thread& writer = block.threads[(known.writer >> kFenceBits) - 1];
  if (writer_of(writer) != known.writer) return;  // it has fenced since
  fail(where, word, " reads shared offset ", offset, ", which thread ", writer.number,
       " wrote by an ordinary store without fence_proxy_async() behind it: the "
       "asynchronous proxy may not see it (store, fence, barrier, then ",
       word, ")");
}

}  // namespace runtime
