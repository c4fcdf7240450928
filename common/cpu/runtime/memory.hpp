#pragma once
// Device memory: ordinary memory from a registry that knows every live allocation, each between
// guard zones, everything poisoned with NaN until written. A block's shared memory: the dynamic
// part first, then the static objects in the order in which they are first named, each between
// poisoned gaps.

#include <runtime/site.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace runtime {

struct Range {
  std::uintptr_t begin = 0, end = 0;

  bool holds(std::uintptr_t address, std::size_t bytes) const {
    return address >= begin && address + bytes <= end;
  }
};

// Aligned to 256 bytes, like cudaMalloc; null for 0 bytes. core::DeviceError when there is no
// memory.
void* allocate_device(std::size_t bytes);
// Ends the program with a message when the pointer is not a live allocation's beginning.
void release_device(void* pointer) noexcept;

// The live allocations in the order of their addresses, as they are now.
using Ranges = std::vector<Range>;
std::shared_ptr<const Ranges> live_allocations();

// Throws core::DeviceError naming `word` unless the bytes lie within one live allocation.
void check_host_range(const void* device, std::size_t bytes, const char* word);

// Throws core::DeviceError when a guard zone was written to (by an access that no word checked).
void check_guards();
// Puts all of them right, so that the next launch does not report this one's damage.
void repair_guards();

// A launch's view of the registry, with the last few hits kept at hand: a kernel works on few
// arrays.
class MemoryView {
 public:
  void begin(const Ranges* ranges) { *this = MemoryView{}, ranges_ = ranges; }

  bool holds_recently(std::uintptr_t address, std::size_t bytes) const {
    return recent_[0].holds(address, bytes) || recent_[1].holds(address, bytes) ||
           recent_[2].holds(address, bytes) || recent_[3].holds(address, bytes);
  }
  // The whole registry. Remembers what it finds.
  bool holds(std::uintptr_t address, std::size_t bytes) {
    return holds_recently(address, bytes) || find(address, bytes);
  }
  const Ranges* ranges() const { return ranges_; }

 private:
  bool find(std::uintptr_t address, std::size_t bytes);

  const Ranges* ranges_ = nullptr;
  Range recent_[4] = {};
  unsigned oldest_ = 0;
};

// --- Shared memory -------------------------------------------------------------------------------

struct Block;
struct Thread;

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
  std::size_t dynamic_bytes() const { return dynamic_bytes_; }

  // Does [address, address + bytes) lie within the dynamic part or the static objects?
  bool holds(std::uintptr_t address, std::size_t bytes) const {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(window_);
    return offset + bytes <= dynamic_bytes_ ||
           (offset >= static_begin_ && offset + bytes <= static_end_);
  }
  std::byte* window() const { return window_; }  // the dynamic part is at its beginning

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

inline constexpr std::uint32_t kChunk = 16;  // bytes

// [begin, end) of a block's shared memory, and the word that reads or writes there.
struct Touch {
  const Block& block;
  std::uint32_t begin, end;
  const char* word;
  Site where;
  bool writes = false;

  bool meets(const Block& other, std::uint32_t offset, std::uint32_t bytes) const {
    return &block == &other && begin < offset + bytes && offset < end;
  }
};

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

// The thread as Shadow::Chunk::writer has it.
std::uint32_t writer_of(const Thread& thread);

// An asynchronous read of one chunk (`word` is "wgmma" or "tma_store"): core::DeviceError when a
// copy has not been waited for or an ordinary write has no proxy fence behind it.
void check_async_read(const Block& block, std::uint32_t offset, const char* word, Site where);

}  // namespace runtime
