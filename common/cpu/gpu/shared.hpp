#pragma once
// Shared memory as one typed object per block, every byte 0xff (NaN) at the block's start.

#include <runtime/current.hpp>

#include <type_traits>

namespace gpu {

// At most 48 KB. T must be trivial. Every call with the same T in a block names the same object.
template <class T>
T& static_smem() {
  static_assert(sizeof(T) <= runtime::kMaxStaticShared,
                "a block has 48 KB of static shared memory");
  static_assert(alignof(T) <= runtime::kSharedAlignment);
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                "nobody runs constructors in shared memory");
  runtime::running_thread("static_smem");
  return *static_cast<T*>(runtime::static_object(runtime::shared_slot<T>, sizeof(T)));
}

// The whole of LaunchShape::dynamic_smem seen as one T.
template <class T>
T& dynamic_smem(Site where = Site::current()) {
  static_assert(alignof(T) <= runtime::kSharedAlignment,
                "dynamic shared memory is aligned to 1024 bytes");
  const runtime::SharedMemory& memory =
      runtime::running_thread("dynamic_smem").warp->block->shared_memory;
  if (sizeof(T) > memory.dynamic_bytes()) runtime::refuse_dynamic_size(sizeof(T), where);
  return *reinterpret_cast<T*>(memory.window());
}

}  // namespace gpu
