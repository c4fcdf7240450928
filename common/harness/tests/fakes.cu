// Two chapters: one computes C and then fails in every way that a program must tell apart, the
// other makes a ladder of the program. What a GPU reports stays: nothing works after an illegal
// access until the program ends, so one line has to be said and nothing else tried.

#include <harness/chapter.hpp>

#include <core/error.hpp>
#include <gemm/operands.hpp>
#include <gpu/convert.hpp>
#include <gpu/launch.hpp>

#include <cstdio>

namespace {

using gemm::Problem;

// A block computes a row of C.
template <class T>
__global__ void multiply(gemm::Operands<T> g) {
  const int row = static_cast<int>(blockIdx.x), threads = static_cast<int>(blockDim.x);
  for (int col = static_cast<int>(threadIdx.x); col < g.n; col += threads) {
    float sum = 0;
    for (int k = 0; k < g.k; ++k) {
      sum += gpu::to_float(g.a[row * g.lda + k]) * gpu::to_float(g.b[col * g.ldb + k]);
    }
    g.c[row * g.ldc + col] = gpu::from_float<T>(sum);
  }
}

template <class T>
__global__ void put(T* where, float value) {
  *where = gpu::from_float<T>(value);
}

// A launch behind the one that computes C. It writes `value` over C's last entry or beside it.
struct Fault {
  float value = 0;
  int beside = 0;
  std::uintptr_t address = 0;  // writes there instead
  unsigned threads = 1;        // 4096: more than a block can have
  int after = 0;               // runs of the plan that are right
};

template <Fault kFault>
harness::Plan faulty(const Problem& p) {
  return gemm::dispatch_type(p.type, [&]<class T>() -> harness::Plan {
    const gemm::Operands<T> g = gemm::typed_operands<T>(p);
    return [=, runs = std::make_shared<int>(0)](gpu::Stream stream) {
      gpu::launch(multiply<T>, {.grid = dim3(g.m), .block = dim3(64)}, stream, g);
      if ((*runs)++ < kFault.after) return;
      T* const last = g.c + (g.m - 1) * g.ldc + g.n - 1 + kFault.beside;
      T* const where = kFault.address == 0 ? last : reinterpret_cast<T*>(kFault.address);
      gpu::launch(put<T>, {.grid = dim3(1), .block = dim3(kFault.threads)}, stream, where,
                  kFault.value);
    };
  });
}

constexpr harness::Prepare right = faulty<Fault{.after = 1 << 30}>;

harness::Plan refuses(const Problem&) {
  throw core::Refused("01_fake: never taken");
}
harness::Plan breaks(const Problem&) {
  throw core::DeviceError("fake device: on fire");
}

// Registered first; names decide about the order.
const harness::Registration second(harness::Chapter{
    .name = "02_fake",
    .title = "Second fake",
    .idea = "refuses",
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"only", "takes no problem", refuses}}});

const harness::Registration first(harness::Chapter{
    .name = "01_fake",
    .title = "Fake",
    .idea = "three loops",
    .variants = {{"right", "computes C", right},
                 {"wrong", "the last entry is off", faulty<Fault{.value = 1e4f}>},
                 {"stray", "writes behind C", faulty<Fault{.beside = 1}>},
                 {"refuses", "takes no problem", refuses},
                 {"breaks", "the device fails", breaks},
                 {"illegal", "writes elsewhere", faulty<Fault{.address = 16}>},
                 {"illegal_later", "writes elsewhere while it is timed",
                  faulty<Fault{.address = 16, .after = 8}>},
                 {"launch", "more threads than a block has", faulty<Fault{.threads = 4096}>}},
    .tunings = {{"tuned", "computes C, too", right}, {"other", "computes C, too", right}},
    .ablations = {{"slowly", "computes C, too", right}},
});

const harness::Registration shown(harness::Demonstration{
    "01_fake", "show", "prints a line and finds an error", [] {
      std::puts("shown");
      return static_cast<int>(core::kWrongResult);
    }});

}  // namespace
