// Two chapters: one computes on the host and fails in every way that a program must tell apart, the
// other makes a ladder of the program.

#include <harness/chapter.hpp>

#include <core/error.hpp>

#include <gemm/element.hpp>

#include <cstdio>
#include <limits>

namespace {

using gemm::Problem;

using After = void (*)(const Problem&);  // what else happens to C

struct HostPlan {
  Problem problem;
  After after;

  void run(gpu::Stream) const {
    const Problem& p = problem;
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t col = 0; col < p.n; ++col) {
        float sum = 0;
        for (std::int64_t k = 0; k < p.k; ++k) {
          sum += static_cast<float>(gemm::load_element(p.type, p.a, row * p.lda + k) *
                                    gemm::load_element(p.type, p.b, col * p.ldb + k));
        }
        gemm::store_element(p.c_type, p.c, row * p.ldc + col, sum);
      }
    }
    after(p);
  }
};

template <After kAfter>
harness::Plan host_kernel(const Problem& problem) {
  return HostPlan{problem, kAfter};
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

harness::Plan refuse(const Problem&) {
  throw core::Refused("01_fake: never taken");
}
harness::Plan refuse_too(const Problem&) {
  throw core::Refused("02_fake: needs what this machine lacks");
}

// Registered first; names decide about the order.
const harness::Registration second(harness::Chapter{
    .name = "02_fake",
    .title = "Second fake",
    .idea = "refuses",
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"only", "takes no problem", refuse_too}},
});

const harness::Registration first(harness::Chapter{
    .name = "01_fake",
    .title = "Fake",
    .idea = "three loops on the host",
    .variants =
        {
            {"right", "computes C", host_kernel<nothing>},
            {"wrong", "the last entry is off", host_kernel<write<0, 10000>>},
            {"nan", "the last entry is NaN", host_kernel<write<0, 0>>},
            {"stray", "writes behind the end of C", host_kernel<write<1, 1>>},
            {"refuses", "takes no problem", refuse},
            {"breaks", "the device fails", host_kernel<forget_everything>},
        },
    .ablations = {{"slowly", "computes C, too", host_kernel<nothing>}},
});

const harness::Registration shown(harness::Demonstration{
    .chapter = "01_fake", .name = "show", .summary = "prints a line", .run = [] {
      std::puts("shown");
      return static_cast<int>(core::kRight);
    }});
const harness::Registration shown_wrong(harness::Demonstration{
    .chapter = "01_fake", .name = "show_wrong", .summary = "finds an error", .run = [] {
      return static_cast<int>(core::kWrongResult);
    }});

}  // namespace
