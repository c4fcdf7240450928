#include <runtime/trace.hpp>

#include <runtime/gang.hpp>

#include <cstring>

namespace runtime {

// An unrolled call has several return addresses and one line, a word that was not inlined one
// return address and several lines: together they tell the places apart.
[[gnu::noinline]] void trace_word(const void* address, std::size_t bytes, Access kind, bool active,
                                  Site where) {
  if (current.gang == nullptr || current.gang->trace() == nullptr) return;
  const auto pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const std::uint64_t place = pc ^ (std::uint64_t{where.line} << 48);
  current.gang->trace()->access(place, reinterpret_cast<std::uintptr_t>(address), bytes, kind,
                                active);
}

void count_fma() {
  ++current.fmas;
}

void untraced_copy(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

}  // namespace runtime
