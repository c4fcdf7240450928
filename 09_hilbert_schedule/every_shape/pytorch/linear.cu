// Chapter 09's kernel behind a C interface, for linear.py: C = x w^T, then a bias and a ReLU, or
// either, or neither. It knows nothing of PyTorch, so the library links with no part of it, builds
// wherever a chapter does, and serves any version. The same file makes the library for the GPU and
// the one for the CPU backend.

#include "../choose.hpp"
#include "../plan.cuh"

#include <core/error.hpp>
#include <gemm/problem.hpp>
#include <gpu/host.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

namespace {

using namespace hilbert_schedule;

// Epilogues of one's own are as small as this.
template <class T>
struct Bias {
  static constexpr bool kReadsC = false, kReadsColumn = true;
  const T* column;

  __device__ float operator()(float sum, float /*old*/, float of_column) const {
    return sum + of_column;
  }
};
struct Relu {
  static constexpr bool kReadsC = false, kReadsColumn = false;

  __device__ float operator()(float sum, float /*old*/, float /*of_column*/) const {
    return sum < 0.0f ? 0.0f : sum;  // a NaN stays one
  }
};

// Tiles and ways of storing that the chapter has variants for, and its page measures.
using Wide = Tiles<128, 256, 4, 2>;
using Small = Tiles<64, 128, 8, 1>;
template <Rows kRows_, bool kDeferred_, int kInFlight_ = 0>
struct ByThreads : Ways<> {
  static constexpr Rows kRows = kRows_;
  static constexpr Store kStore = Store::kDirect;
  static constexpr bool kDeferred = kDeferred_;
  static constexpr int kInFlight = kInFlight_;
};

// Nothing is kept from one call to the next: what a plan holds, tensor maps above all, belongs to
// these sizes and these addresses, and reaches the kernel with the launch.
template <class T, class Functor>
void launch(const gemm::Problem& problem, const Functor& functor, gpu::Stream stream) {
  const auto g = operands<T>(problem);
  const auto run = [&]<class Chosen>() { prepare<T, Chosen>(g, Route{}, functor).run(stream); };
  if (!can_deal(problem)) {
    return run.template operator()<Config<Wide, ByThreads<Rows::kPlain, true>>>();
  }
  const Shape shape{problem.m, problem.n, problem.k};
  const int sms = gpu::sm_count();
  if (microseconds(kSmall, shape, sms) < microseconds(kWide, shape, sms)) {
    return run.template operator()<Config<Small, ByThreads<Rows::kDealt, false, 1>>>();
  }
  if constexpr (Functor::kReadsColumn) {
    run.template operator()<Config<Wide, ByThreads<Rows::kDealt, true>>>();
  } else {
    run.template operator()<Config<Wide>>();
  }
}

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
                                .epilogue = {}};
    gemm::dispatch_type(type, [&]<class T>() {
      const T* const column = static_cast<const T*>(bias);
      const auto with = [&](const auto& functor) {
        launch<T>(problem, functor, static_cast<gpu::Stream>(stream));
      };
      if (relu != 0) {
        bias != nullptr ? with(BiasRelu<T>{column}) : with(Relu{});
      } else {
        bias != nullptr ? with(Bias<T>{column}) : with(Identity{});
      }
    });
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
