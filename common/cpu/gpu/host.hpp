#pragma once
// What host code needs of a device, here made of ordinary memory. Same names as on the GPU.

#include <core/error.hpp>
#include <runtime/counters.hpp>
#include <runtime/memory.hpp>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

namespace gpu {

// Launches run before they return, so there is nothing to order: null will do.
using Stream = struct StreamTag*;

inline std::optional<std::string> why_no_device() {
  return std::nullopt;
}

// Of the device that is modelled, an H200. Plans that choose by it choose here as they would there.
inline int sm_count() {
  return 132;
}

inline void require_wgmma(const std::string& /*who*/) {}

inline std::size_t l2_bytes() {
  return runtime::l2_bytes();
}

inline double dram_bytes_per_second() {
  return 4.8e12;
}

// Device memory, aligned to 256 bytes, every byte 0xff (a NaN in fp32, bf16 and fp16) until
// written, between guard zones. `bytes` may be 0, which yields null.
inline void* allocate(std::size_t bytes) {
  return runtime::allocate_device(bytes);
}
inline void release(void* pointer) noexcept {
  runtime::release_device(pointer);
}

inline void copy_to_device(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  runtime::check_host_range(device, bytes, "gpu::copy_to_device");
  std::memcpy(device, host, bytes);
}
inline void copy_to_host(void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) return;
  runtime::check_host_range(device, bytes, "gpu::copy_to_host");
  std::memcpy(host, device, bytes);
}
inline void fill_bytes(void* device, int byte, std::size_t bytes) {
  if (bytes == 0) return;
  runtime::check_host_range(device, bytes, "gpu::fill_bytes");
  std::memset(device, byte, bytes);
}
inline void fill_bytes(void* device, int byte, std::size_t bytes, Stream /*stream*/) {
  fill_bytes(device, byte, bytes);
}

inline bool is_capturing(Stream /*stream*/) {
  return false;
}

// Of the device that is modelled.
inline int compute_capability() {
  return 90;
}

inline void synchronize() {}

}  // namespace gpu
