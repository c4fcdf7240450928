#pragma once
// Device memory for small tests and demonstrations, on either backend.

#include <gpu/host.hpp>

#include <cstddef>
#include <vector>

namespace test {

// `count` elements that give themselves back.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count)
      : count_(count), data_(static_cast<T*>(gpu::allocate(count * sizeof(T)))) {}
  DeviceArray(std::size_t count, unsigned char byte) : DeviceArray(count) {
    gpu::fill_bytes(data_, byte, count * sizeof(T));
  }
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

}  // namespace test
