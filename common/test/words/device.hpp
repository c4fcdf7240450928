#pragma once
// Device memory and launches for the cases, on either backend.

#include <gpu/host.hpp>
#include <gpu/launch.hpp>
#include <test/device_array.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace words {

using test::DeviceArray;

// The bytes of `values` as 32-bit words; a rest of fewer than four bytes is filled up with zeros.
template <class T>
std::vector<std::uint32_t> as_words(const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  std::vector<std::uint32_t> out((bytes + 3) / 4, 0u);
  if (bytes > 0) std::memcpy(out.data(), values.data(), bytes);
  return out;
}

template <class... Params, class... Args>
void run(void (*kernel)(Params...), const gpu::LaunchShape& shape, Args&&... args) {
  gpu::launch(kernel, gpu::launch_shape(kernel, shape), nullptr, std::forward<Args>(args)...);
  gpu::synchronize();
}

}  // namespace words
