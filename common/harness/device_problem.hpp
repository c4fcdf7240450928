#pragma once
// One problem in the memory of whatever runs the kernels, fenced so that stray writes are noticed.

#include <gemm/guard.hpp>
#include <gemm/inputs.hpp>

#include <gpu/host.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

// Device memory that frees itself.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::size_t bytes) : data_(gpu::allocate(bytes)), bytes_(bytes) {}
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceMemory() {
    if (data_ != nullptr) gpu::release(data_);
  }

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Where matrices begin, in elements behind a multiple of 256 bytes. Without guards A and B end
// where their allocations do, so that a checker of memory accesses sees every read that goes too
// far.
struct Placement {
  std::int64_t a = 0, b = 0, c = 0;
  bool guard_inputs = true;
};

// Copies of host operands on the device. The matrices lie between poisoned guards: a stray read of
// A or B meets NaN, a stray write is found afterwards.
class DeviceProblem {
 public:
  explicit DeviceProblem(const gemm::HostOperands& host, const Placement& placement = {});

  const gemm::Problem& problem() const { return problem_; }  // with device pointers

  // Puts C back to what it holds before a run: poison, or the old C where the epilogue reads it.
  void reset_c();

  struct Outcome {
    std::vector<std::byte> allocation;  // C and its guards, copied to the host
    std::size_t offset = 0;
    std::optional<std::string> damage;  // one line when a guard or an input was written to

    const void* c() const { return allocation.data() + offset; }
  };
  Outcome fetch_c() const;  // waits for everything launched so far

 private:
  struct Matrix {
    gemm::GuardedMatrix layout;
    DeviceMemory memory;

    void fill(const void* contents);
    std::vector<std::byte> fetch() const;
    void* start() const;  // null for a matrix without elements
    bool empty = false;
  };
  static Matrix place(const gemm::Stored& stored, gemm::DataType type, const void* contents,
                      std::int64_t offset, bool guarded);

  const gemm::HostOperands* host_;
  gemm::Problem problem_;
  Matrix a_, b_, c_;
  DeviceMemory bias_;
};

// Bytes of A, B and C together, as far as a double can count them.
double operand_bytes(const gemm::Problem& problem);

}  // namespace harness
