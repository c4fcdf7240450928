#pragma once
// Device memory and launches for the cases, on either backend.

#include <gpu/host.hpp>
#include <gpu/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace words {

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count)
      : count_(count), data_(static_cast<T*>(gpu::allocate(count * sizeof(T)))) {}
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    gpu::copy_to_device(data_, values.data(), count_ * sizeof(T));
  }
  ~DeviceArray() { gpu::release(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> out(count_);
    gpu::copy_to_host(out.data(), data_, count_ * sizeof(T));
    return out;
  }

 private:
  std::size_t count_;
  T* data_;
};

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
  gpu::launch(kernel, shape, nullptr, std::forward<Args>(args)...);
  gpu::synchronize();
}

}  // namespace words
