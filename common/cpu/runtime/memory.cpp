#include <runtime/memory.hpp>

#include <core/error.hpp>
#include <runtime/gang.hpp>
#include <runtime/report.hpp>
#include <runtime/sanitizer.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace runtime {

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kGuard = 4096;  // on either side

// The live allocations. A launch holds on to those that it began with, so a change makes a copy.
std::mutex live_mutex;
std::shared_ptr<const Ranges> live = std::make_shared<Ranges>();

// The first range that begins behind the address.
Ranges::const_iterator behind(const Ranges& ranges, std::uintptr_t address) {
  return std::upper_bound(ranges.begin(), ranges.end(), address,
                          [](std::uintptr_t a, const Range& r) { return a < r.begin; });
}

// The range that holds these bytes, or null.
const Range* find(const Ranges& ranges, std::uintptr_t address, std::size_t bytes) {
  const auto after = behind(ranges, address);
  return after != ranges.begin() && (after - 1)->holds(address, bytes) ? &*(after - 1) : nullptr;
}

std::string hex(std::uintptr_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

bool is_poison(const unsigned char* bytes, std::size_t count) {
  return bytes[0] == kPoison && std::memcmp(bytes, bytes + 1, count - 1) == 0;
}

}  // namespace

void* allocate_device(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  // The zone behind begins at the very next byte, so that it sees the first one too many.
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t total = rounded + 2 * kGuard;
  auto* memory =
      total > bytes ? static_cast<char*>(std::aligned_alloc(kAlignment, total)) : nullptr;
  if (memory == nullptr) {
    throw core::DeviceError(join("gpu::allocate: no memory for ", bytes, " bytes"));
  }
  std::memset(memory, kPoison, total);
  char* begin = memory + kGuard;
  forbid(memory, kGuard);
  forbid(begin + bytes, total - kGuard - bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::lock_guard lock(live_mutex);
  auto ranges = std::make_shared<Ranges>(*live);
  ranges->insert(behind(*ranges, address), {address, address + bytes});
  live = std::move(ranges);
  return begin;
}

void release_device(void* pointer) noexcept {
  if (pointer == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  {
    const std::lock_guard lock(live_mutex);
    const Range* found = find(*live, address, 1);
    if (found == nullptr || found->begin != address) {
      std::fprintf(stderr, "gpu::release: %s is not a live allocation\n", hex(address).c_str());
      std::_Exit(core::kDeviceError);
    }
    allow(static_cast<char*>(pointer) - kGuard, found->end - found->begin + 2 * kGuard);
    auto ranges = std::make_shared<Ranges>(*live);
    ranges->erase(ranges->begin() + (found - live->data()));
    live = std::move(ranges);
  }
  std::free(static_cast<char*>(pointer) - kGuard);
}

std::shared_ptr<const Ranges> live_allocations() {
  const std::lock_guard lock(live_mutex);
  return live;
}

void check_host_range(const void* device, std::size_t bytes, const char* word) {
  const auto address = reinterpret_cast<std::uintptr_t>(device);
  if (find(*live_allocations(), address, bytes) != nullptr) return;
  throw core::DeviceError(
      join(word, ": ", bytes, " bytes at ", hex(address), " are not within device memory"));
}

// Under live_mutex: no other thread may release what is looked at.
static void repair_guards_of(const Ranges& ranges) {
  for (const Range& range : ranges) {
    std::memset(reinterpret_cast<void*>(range.end), kPoison, kGuard);
    std::memset(reinterpret_cast<void*>(range.begin - kGuard), kPoison, kGuard);
  }
}

void check_guards() {
  if (kAddressSanitizer) return;  // which has reported the access itself
  const std::lock_guard lock(live_mutex);
  for (const Range& range : *live) {
    const auto* before = reinterpret_cast<const unsigned char*>(range.begin) - kGuard;
    const auto* behind = reinterpret_cast<const unsigned char*>(range.end);
    if (is_poison(before, kGuard) && is_poison(behind, kGuard)) continue;
    std::string where;
    const auto* first =
        std::find_if(behind, behind + kGuard, [](auto byte) { return byte != kPoison; });
    if (first != behind + kGuard) {
      where = std::to_string(first - behind) + " bytes past its end";
    } else {
      std::size_t distance = 1;
      while (before[kGuard - distance] == kPoison) ++distance;
      where = std::to_string(distance) + " bytes before its beginning";
    }
    repair_guards_of(*live);
    throw core::DeviceError(join("a kernel wrote out of bounds: allocation ", hex(range.begin),
                                 " of ", range.end - range.begin, " bytes was overrun ", where));
  }
}

void repair_guards() {
  if (kAddressSanitizer) return;
  const std::lock_guard lock(live_mutex);
  repair_guards_of(*live);
}

bool MemoryView::find(std::uintptr_t address, std::size_t bytes) {
  const Range* range = ranges_ != nullptr ? runtime::find(*ranges_, address, bytes) : nullptr;
  if (range != nullptr) recent_[oldest_++ % 4] = *range;
  return range != nullptr;
}

// Offset in the running block's shared memory, or beyond kSharedWindow.
static std::uintptr_t shared_offset(std::uintptr_t address) {
  if (current.block == nullptr) return kSharedWindow;
  return address - reinterpret_cast<std::uintptr_t>(current.block->shared_memory.window());
}

// Fails: "16-byte load at 0x1238 ...", or "... at shared offset 616 ...".
template <class... Parts>
[[noreturn]] static void fail_access(std::uintptr_t address, std::size_t bytes, Access access,
                                     Site where, const Parts&... what) {
  const std::uintptr_t offset = shared_offset(address);
  fail(where, bytes, "-byte ", access == Access::kLoad ? "load" : "store", " at ",
       offset < kSharedWindow ? join("shared offset ", offset) : hex(address), what...);
}

static void check_alignment(std::uintptr_t address, std::size_t bytes, Access access, Site where) {
  if ((address & (bytes - 1)) == 0) return;
  fail_access(address, bytes, access, where, " not ", bytes, "-byte aligned");
}

static std::string nearest_allocation(std::uintptr_t address, std::size_t bytes) {
  const Ranges* ranges = current.memory.ranges();
  if (ranges == nullptr || ranges->empty()) return "there is no device memory";
  const auto distance = [&](const Range& range) {
    return address < range.begin ? range.begin - address
           : address < range.end ? 0
                                 : address - range.end;
  };
  const Range& range =
      *std::min_element(ranges->begin(), ranges->end(),
                        [&](const Range& a, const Range& b) { return distance(a) < distance(b); });
  const std::string allocation =
      join(range.end - range.begin, "-byte allocation at ", hex(range.begin));
  if (address < range.begin) return join(distance(range), " bytes before the ", allocation);
  if (address >= range.end) return join(distance(range), " bytes past the end of the ", allocation);
  return join("only ", range.end - address, " of its ", bytes, " bytes are within the ",
              allocation);
}

void check_global_slowly(std::uintptr_t address, std::size_t bytes, Access access, Site where) {
  check_alignment(address, bytes, access, where);
  if (current.memory.holds(address, bytes)) return;
  const bool shared =
      current.block != nullptr && current.block->shared_memory.holds(address, bytes);
  fail_access(address, bytes, access, where, " out of bounds: ",
              shared ? "this is shared memory, the word is for global"
                     : nearest_allocation(address, bytes));
}

void check_global_range(const void* pointer, std::size_t alignment, std::size_t bytes, Site where) {
  check_prior_grid(where);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % alignment == 0 && current.memory.holds(address, bytes)) return;
  if (address % alignment != 0) bytes = alignment;
  check_global_slowly(address, bytes, Access::kLoad, where);
}

void refuse_shared(std::uintptr_t address, std::size_t bytes, Access access, Site where) {
  check_alignment(address, bytes, access, where);
  const std::uintptr_t offset = shared_offset(address);
  std::string what = "not in the block's shared memory";
  if (current.memory.holds(address, bytes)) {
    what = "this is global memory, the word is for shared";
  } else if (offset < kSharedWindow) {
    what =
        join("offset ", offset, " is outside of the block's ",
             current.block->shared_memory.dynamic_bytes(), " dynamic bytes and its static objects");
  }
  fail_access(address, bytes, access, where, " out of bounds of shared memory: ", what);
}

void refuse_before_prior_grid(Site where) {
  fail(where,
       "global memory, in a programmatic launch, before this thread's wait_for_prior_grid(): the "
       "grid before may still be at work there");
}

void refuse_dynamic_size(std::size_t bytes, Site where) {
  fail(where, "dynamic_smem of ", bytes, " bytes, launched with ",
       current.block->shared_memory.dynamic_bytes());
}

Thread& running_thread(const char* word) {
  if (current.thread == nullptr) throw core::DeviceError(join(word, " outside a kernel"));
  return *current.thread;
}

// --- Shared memory -------------------------------------------------------------------------------

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
