#include <runtime/memory.hpp>

#include <core/error.hpp>
#include <runtime/current.hpp>
#include <runtime/report.hpp>
#include <runtime/sanitizer.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#if defined(RUNTIME_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace runtime {

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kGuard = 4096;  // on either side

struct Registry {
  std::mutex mutex;
  std::map<std::uintptr_t, std::uintptr_t> live;  // begin -> end
  std::shared_ptr<const Ranges> snapshot;         // null after a change
};

Registry& registry() {
  static Registry instance;
  return instance;
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
#if defined(RUNTIME_ADDRESS_SANITIZER)
  ASAN_POISON_MEMORY_REGION(memory, kGuard);
  ASAN_POISON_MEMORY_REGION(begin + bytes, total - kGuard - bytes);
#endif
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::lock_guard lock(registry().mutex);
  registry().live[address] = address + bytes;
  registry().snapshot = nullptr;
  return begin;
}

void release_device(void* pointer) noexcept {
  if (pointer == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().live.find(address);
    if (found == registry().live.end()) {
      std::fprintf(stderr, "gpu::release: %s is not a live allocation\n", hex(address).c_str());
      std::_Exit(core::kDeviceError);
    }
#if defined(RUNTIME_ADDRESS_SANITIZER)
    ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<char*>(found->first) - kGuard,
                                found->second - found->first + 2 * kGuard);
#endif
    registry().live.erase(found);
    registry().snapshot = nullptr;
  }
  std::free(static_cast<char*>(pointer) - kGuard);
}

std::shared_ptr<const Ranges> live_allocations() {
  const std::lock_guard lock(registry().mutex);
  if (registry().snapshot == nullptr) {
    auto ranges = std::make_shared<Ranges>();
    for (const auto& [begin, end] : registry().live) ranges->push_back({begin, end});
    registry().snapshot = std::move(ranges);
  }
  return registry().snapshot;
}

void check_host_range(const void* device, std::size_t bytes, const char* word) {
  const auto address = reinterpret_cast<std::uintptr_t>(device);
  const std::lock_guard lock(registry().mutex);
  auto after = registry().live.upper_bound(address);
  if (after != registry().live.begin()) {
    const auto& [begin, end] = *--after;
    if (bytes <= end - begin && address - begin <= end - begin - bytes) return;
  }
  throw core::DeviceError(
      join(word, ": ", bytes, " bytes at ", hex(address), " are not within device memory"));
}

void check_guards() {
  if (kAddressSanitizer) return;  // which has reported the access itself
  for (const Range& range : *live_allocations()) {
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
    repair_guards();
    throw core::DeviceError(join("a kernel wrote out of bounds: allocation ", hex(range.begin),
                                 " of ", range.end - range.begin, " bytes was overrun ", where));
  }
}

void repair_guards() {
  if (kAddressSanitizer) return;
  for (const Range& range : *live_allocations()) {
    std::memset(reinterpret_cast<void*>(range.end), kPoison, kGuard);
    std::memset(reinterpret_cast<void*>(range.begin - kGuard), kPoison, kGuard);
  }
}

bool MemoryView::find(std::uintptr_t address, std::size_t bytes) {
  if (ranges_ == nullptr) return false;
  const auto after = std::upper_bound(ranges_->begin(), ranges_->end(), address,
                                      [](std::uintptr_t a, const Range& r) { return a < r.begin; });
  if (after == ranges_->begin()) return false;
  const Range& range = *(after - 1);
  if (!range.holds(address, bytes)) return false;
  recent_[oldest_++ % 4] = range;
  return true;
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

}  // namespace runtime
