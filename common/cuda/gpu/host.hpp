#pragma once
// What host code needs of a device: memory, copies, a stream, an error turned into an exception.
// Includes no device code; any C++ compiler takes it.

#include <core/error.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>

namespace gpu {

using Stream = cudaStream_t;

// Throws core::DeviceError "WHAT: cudaErrorName (text)" unless the status is success.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw core::DeviceError(std::string(what) + ": " + cudaGetErrorName(status) + " (" +
                          cudaGetErrorString(status) + ")");
}

// Nothing when a device can be used; otherwise the reason in one line.
inline std::optional<std::string> why_no_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return std::string("no CUDA device (") + cudaGetErrorString(status) + ")";
  }
  if (count == 0) return "no CUDA device";
  return std::nullopt;
}

namespace detail {

// An attribute of the present device.
inline int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace detail

// Streaming multiprocessors of the present device.
inline int sm_count() {
  return detail::attribute(cudaDevAttrMultiProcessorCount);
}

// Throws core::DeviceError, naming `who`, unless the present device has compute capability 9.0, the
// only one with wgmma.
inline void require_wgmma(const std::string& who) {
  const int major = detail::attribute(cudaDevAttrComputeCapabilityMajor);
  const int minor = detail::attribute(cudaDevAttrComputeCapabilityMinor);
  if (major == 9 && minor == 0) return;
  throw core::DeviceError(who +
                          ": needs compute capability 9.0, the only one with wgmma; this GPU has " +
                          std::to_string(major) + "." + std::to_string(minor));
}

// Bytes of the present device's L2 cache.
inline std::size_t l2_bytes() {
  return static_cast<std::size_t>(detail::attribute(cudaDevAttrL2CacheSize));
}

// What the present device's DRAM can load or store in a second, in bytes: two transfers in a cycle
// (the attribute counts kHz), the bus's width in each. The driver takes 0.4 ms to say it, so each
// thread asks once for a device.
inline double dram_bytes_per_second() {
  thread_local int known = -1;
  thread_local double rate = 0;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  if (device != known) {
    rate = 2e3 * detail::attribute(cudaDevAttrMemoryClockRate) *
           detail::attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    known = device;
  }
  return rate;
}

// Device memory. `bytes` may be 0, which yields null. Aligned to at least 256 bytes.
inline void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  if (bytes > 0) check(cudaMalloc(&pointer, bytes), "cudaMalloc");
  return pointer;
}
inline void release(void* pointer) noexcept {
  cudaFree(pointer);
}

inline void copy_to_device(void* device, const void* host, std::size_t bytes) {
  if (bytes > 0) check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}
inline void copy_to_host(void* host, const void* device, std::size_t bytes) {
  if (bytes > 0) check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}
inline void fill_bytes(void* device, int byte, std::size_t bytes) {
  if (bytes > 0) check(cudaMemset(device, byte, bytes), "cudaMemset");
}
// The same in the order of a stream.
inline void fill_bytes(void* device, int byte, std::size_t bytes, Stream stream) {
  if (bytes > 0) check(cudaMemsetAsync(device, byte, bytes, stream), "cudaMemsetAsync");
}

// Whether what the stream is given goes into a graph.
inline bool is_capturing(Stream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

// The present device's compute capability: 90 is 9.0.
inline int compute_capability() {
  return 10 * detail::attribute(cudaDevAttrComputeCapabilityMajor) +
         detail::attribute(cudaDevAttrComputeCapabilityMinor);
}

// Waits for everything launched so far and reports what went wrong in it.
inline void synchronize() {
  check(cudaDeviceSynchronize(), "kernel");
}

}  // namespace gpu
