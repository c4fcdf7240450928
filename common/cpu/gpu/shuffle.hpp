#pragma once
// Exchange of registers between the lanes of a warp (PTX shfl.sync). All 32 lanes must call, each
// at the same place; T is 4 bytes. What a lane that has exited would have held reads as 0xffffffff:
// a NaN, where the hardware leaves it undefined.

#include <runtime/builtins.hpp>
#include <runtime/collectives.hpp>

#include <bit>
#include <cstdint>

namespace gpu {

namespace detail {

// `choose(lane)` names the lane to read from; one outside 0..31 means my own value.
template <class T, class Choose>
T exchange(T value, const char* word, Site where, Choose choose) {
  static_assert(sizeof(T) == 4);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const runtime::WarpMeeting::View view =
      runtime::meet_warp(word, where, std::bit_cast<std::uint32_t>(value));
  const int source = choose(lane);
  if (source < 0 || source > 31) return value;
  const bool present = (view.present >> source & 1) != 0;
  return std::bit_cast<T>(present ? view.values[source] : 0xffffffffu);
}

}  // namespace detail

// The value held by `source_lane`.
template <class T>
T shuffle(T value, int source_lane, Site where = Site::current()) {
  return detail::exchange(value, "shuffle", where, [=](int) { return source_lane & 31; });
}

// The value held by the lane whose number differs from mine in the bits of `mask`.
template <class T>
T shuffle_xor(T value, int mask, Site where = Site::current()) {
  return detail::exchange(value, "shuffle_xor", where, [=](int lane) { return lane ^ mask; });
}

// The value held `delta` lanes above mine; my own where there is no such lane.
template <class T>
T shuffle_down(T value, int delta, Site where = Site::current()) {
  return detail::exchange(value, "shuffle_down", where, [=](int lane) { return lane + delta; });
}

// The value held `delta` lanes below mine; my own where there is no such lane.
template <class T>
T shuffle_up(T value, int delta, Site where = Site::current()) {
  return detail::exchange(value, "shuffle_up", where, [=](int lane) { return lane - delta; });
}

}  // namespace gpu
