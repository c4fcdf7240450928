// The product behind a C interface, for linear.py: C = x w^T, then a bias and a ReLU, or either, or
// neither. It knows nothing of PyTorch, so the library links with no part of it, builds wherever
// the kernel does, and serves any version. The same files make the library for the GPU and the one
// for the CPU backend.

#include "launch.hpp"

#include <core/error.hpp>
#include <gemm/problem.hpp>
#include <gpu/host.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

namespace {

// Exit statuses of the repository's programs, and the one line that goes with them.
thread_local std::string complaint;

template <class Do>
int status_of(const Do& what) noexcept {
  try {
    what();
    return core::kRight;
  } catch (const core::Refused& reason) {
    complaint = reason.what();
    return core::kRefused;
  } catch (const std::bad_alloc&) {
    complaint = "out of memory";
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  return core::kDeviceError;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// What the last call in this thread that did not return 0 complained about.
const char* linear_complaint() {
  return complaint.c_str();
}

// C = epilogue(x w^T) on the stream: x (m, k), w (n, k), C (m, n), rows so many elements apart, in
// the present device's memory; bf16, or fp16. `bias` may be null: n elements. Returns 0 when it is
// launched, 2 when the problem is refused, 3 when the device fails.
int linear_run(const void* x, std::int64_t x_rows, const void* w, std::int64_t w_rows,
               const void* bias, void* c, std::int64_t c_rows, std::int64_t m, std::int64_t n,
               std::int64_t k, int fp16, int relu, void* stream) {
  return status_of([&] {
    const gemm::DataType type = fp16 != 0 ? gemm::DataType::kFp16 : gemm::DataType::kBf16;
    const gemm::Problem problem{.m = m,
                                .n = n,
                                .k = k,
                                .type = type,
                                .c_type = type,
                                .a = x,
                                .lda = x_rows,
                                .b = w,
                                .ldb = w_rows,
                                .c = c,
                                .ldc = c_rows,
                                .epilogue = {.bias = bias}};
    using namespace every_shape;
    Launch* const with_bias = relu != 0 ? launch_bias_relu : launch_bias;
    Launch* const without = relu != 0 ? launch_relu : launch_identity;
    (bias != nullptr ? with_bias : without)(problem, static_cast<gpu::Stream>(stream));
  });
}

// Memory of the device, for operands that are not in it yet: what the CPU backend reads and writes
// is checked against it. Null, with a complaint, when there is none left.
void* linear_allocate(std::int64_t bytes) {
  void* memory = nullptr;
  status_of([&] { memory = gpu::allocate(static_cast<std::size_t>(bytes)); });
  return memory;
}
void linear_release(void* memory) {
  gpu::release(memory);
}
int linear_upload(void* device, const void* host, std::int64_t bytes) {
  return status_of([&] { gpu::copy_to_device(device, host, static_cast<std::size_t>(bytes)); });
}
int linear_download(void* host, const void* device, std::int64_t bytes) {
  return status_of([&] { gpu::copy_to_host(host, device, static_cast<std::size_t>(bytes)); });
}
}
#pragma GCC visibility pop
