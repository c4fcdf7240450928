#pragma once
// A handle of a C library that is destroyed with its owner.

#include <utility>

namespace harness {

// A create function is given &owned.handle.
template <auto kDestroy, class T>
struct Owned {
  T handle = nullptr;

  Owned() = default;
  Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owned() {
    if (handle != nullptr) kDestroy(handle);
  }
  operator T() const { return handle; }
};

}  // namespace harness
