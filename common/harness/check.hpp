#pragma once
// Is what a kernel computes right?

#include <harness/device_problem.hpp>

#include <gemm/verify.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace harness {

struct Verdict {
  bool ok = false;
  double rel_err = 0;                // against fp64, over the checked entries
  std::int64_t entries = 0;          // of C
  std::int64_t checked = 0;          // of these, against the fp64 reference
  bool second_opinion = false;       // all entries, against another implementation
  std::vector<std::string> failure;  // lines, when not ok
};

// Another implementation of the same problem, to hold all entries of C against where the fp64
// reference can afford only a sample. Computes C and waits for it.
using SecondOpinion = std::function<void(const gemm::Problem&)>;

// One set of operands, the C that the second opinion computed from them, and device memory to run
// in.
class Trial {
 public:
  // `second` may be empty.
  Trial(const gemm::Problem& shape, gemm::Values values, const SecondOpinion& second,
        std::uint64_t seed = 20, const Placement& placement = {});

  const gemm::HostOperands& host() const { return *host_; }
  DeviceProblem& device() { return device_; }
  const DeviceProblem& device() const { return device_; }

  // Judges what is in C; device().reset_c() poisons it before a run.
  Verdict judge() const { return judge(device_); }

  // Judges the C of another copy of the same operands.
  Verdict judge(const DeviceProblem& device) const;

 private:
  std::unique_ptr<gemm::HostOperands> host_;  // on the heap: DeviceProblem points to it
  DeviceProblem device_;
  std::optional<DeviceProblem::Outcome> second_;
};

}  // namespace harness
