#pragma once
// Registers handed from one warpgroup to another (PTX setmaxnreg, compute capability 9.0a). All
// warps of a warpgroup call. Here it is only checked that the block has as many, and that growing
// takes more than before and shrinking leaves fewer.

#include <runtime/builtins.hpp>
#include <runtime/collectives.hpp>

namespace gpu {

namespace detail {

template <int kCount>
void set_registers(const char* word, bool more, Site where) {
  static_assert(kCount >= 24 && kCount <= 256 && kCount % 8 == 0, "24 to 256 in steps of 8");
  runtime::meet_warp(word, where);
  runtime::set_registers(kCount, more, where);
}

}  // namespace detail

// kCount registers per thread from here on: more than before, once others have given some up.
template <int kCount>
void grow_registers(Site where = Site::current()) {
  detail::set_registers<kCount>("grow_registers", true, where);
}

// kCount registers per thread from here on: fewer than before.
template <int kCount>
void shrink_registers(Site where = Site::current()) {
  detail::set_registers<kCount>("shrink_registers", false, where);
}

}  // namespace gpu
