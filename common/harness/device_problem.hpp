#pragma once
// One problem in the memory of whatever runs the kernels, fenced so that stray writes are noticed.

#include <gemm/guard.hpp>
#include <gemm/inputs.hpp>

#include <gpu/host.hpp>

#include <harness/owned.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace harness {

// Device memory that frees itself.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::size_t bytes) { held_.handle = gpu::allocate(bytes); }

  std::byte* data() const { return static_cast<std::byte*>(held_.handle); }

 private:
  Owned<gpu::release, void*> held_;
};

// Copies of host operands on the device. The matrices lie between poisoned guards: a stray read of
// A or B meets NaN, a stray write is found afterwards.
class DeviceProblem {
 public:
  explicit DeviceProblem(const gemm::HostOperands& host);

  const gemm::Problem& problem() const { return problem_; }  // with device pointers

  // Puts C back to what it holds before a run: poison, or the old C where the epilogue reads it.
  void reset_c();

  struct Outcome {
    std::vector<std::byte> allocation;  // C and its guards, copied to the host
    std::size_t offset = 0;
    std::optional<std::string> damage;  // one line when a guard was written to

    const void* c() const { return allocation.data() + offset; }
  };
  Outcome fetch_c() const;  // waits for everything launched so far

 private:
  struct Matrix {
    gemm::GuardedMatrix layout;
    DeviceMemory memory;

    void fill(const void* contents);
    void* start() const;  // null for a matrix without elements
    bool empty = false;
  };
  static Matrix place(const gemm::Stored& stored, gemm::DataType type, const void* contents,
                      bool written);

  const gemm::HostOperands* host_;
  gemm::Problem problem_;
  Matrix a_, b_, c_;
  DeviceMemory bias_;
};

// Bytes of A, B and C together, as far as a double can count them.
double operand_bytes(const gemm::Problem& problem);

}  // namespace harness
