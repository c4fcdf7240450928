// Two chapters: one computes on the host and fails in every way that a program must tell apart, the
// other makes a ladder of the program.

#include <harness/chapter.hpp>

#include <core/error.hpp>

#include <gemm/element.hpp>

#include <cstdio>
#include <limits>

namespace {

using gemm::Problem;

using After = void(const Problem&);  // what else happens to C

template <After* kAfter>
struct HostPlan {
  Problem p;

  void run(gpu::Stream) const {
    for (std::int64_t i = 0; i < p.m * p.n; ++i) {
      const std::int64_t row = i / p.n, col = i % p.n;
      float sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        sum += static_cast<float>(gemm::load_element(p.type, p.a, row * p.lda + k) *
                                  gemm::load_element(p.type, p.b, col * p.ldb + k));
      }
      gemm::store_element(p.c_type, p.c, row * p.ldc + col, sum);
    }
    kAfter(p);
  }
};

template <After* kAfter>
harness::Plan host_kernel(const Problem& problem) {
  return HostPlan<kAfter>{problem};
}

void nothing(const Problem&) {}

// Behind the last entry of C, or into it.
template <int kBehind, int kValue>
void write(const Problem& p) {
  const float value = kValue == 0 ? std::numeric_limits<float>::quiet_NaN() : kValue;
  gemm::store_element(p.c_type, p.c, (p.m - 1) * p.ldc + p.n - 1 + kBehind, value);
}

void forget_everything(const Problem&) {
  throw core::DeviceError("fake device: on fire");
}

template <int kChapter>
harness::Plan refuse(const Problem&) {
  throw core::Refused(kChapter == 1 ? "01_fake: never taken" : "02_fake: needs what is not here");
}

// Registered first; names decide about the order.
const harness::Registration second(harness::Chapter{
    .name = "02_fake",
    .title = "Second fake",
    .idea = "refuses",
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"only", "takes no problem", refuse<2>}},
});

const harness::Registration first(harness::Chapter{
    .name = "01_fake",
    .title = "Fake",
    .idea = "three loops on the host",
    .variants = {{"right", "computes C", host_kernel<nothing>},
                 {"wrong", "the last entry is off", host_kernel<write<0, 10000>>},
                 {"nan", "the last entry is NaN", host_kernel<write<0, 0>>},
                 {"stray", "writes behind the end of C", host_kernel<write<1, 1>>},
                 {"refuses", "takes no problem", refuse<1>},
                 {"breaks", "the device fails", host_kernel<forget_everything>}},
    .ablations = {{"slowly", "computes C, too", host_kernel<nothing>}},
});

const harness::Registration shown(harness::Demonstration{
    "01_fake", "show", "prints a line and finds an error", [] {
      std::puts("shown");
      return static_cast<int>(core::kWrongResult);
    }});

}  // namespace
