#pragma once
// Device memory: ordinary memory from a registry that knows every live allocation, each between
// guard zones, everything poisoned with NaN until written.

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

}  // namespace runtime
