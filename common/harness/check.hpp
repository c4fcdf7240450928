#pragma once
// Is what a kernel computes right?

#include <harness/device_problem.hpp>

#include <gemm/verify.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace harness {

struct Verdict {
  double rel_err = 0;                // against fp64, over the checked entries
  std::int64_t entries = 0;          // of C
  std::int64_t checked = 0;          // of these, against the fp64 reference
  bool second_opinion = false;       // all entries, against another implementation
  std::vector<std::string> failure;  // lines, when it is wrong

  bool ok() const { return failure.empty(); }
};

// Another implementation of the same problem, to hold all entries of C against where the fp64
// reference can afford only a sample. Computes C and waits for it.
using SecondOpinion = std::function<void(const gemm::Problem&)>;

// One problem's operands, the C that the second opinion computed from them, and device memory to
// run in: as many copies as there are to be sets.
class Trial {
 public:
  // `second` may be empty.
  Trial(const gemm::Problem& shape, gemm::Values values, const SecondOpinion& second, int sets = 1);
  Trial(const Trial&) = delete;

  DeviceProblem& device(std::size_t set = 0) { return devices_[set]; }
  std::vector<gemm::Problem> problems() const;  // of all sets

  // Judges what is in a set's C; device().reset_c() poisons it before a run.
  Verdict judge(std::size_t set = 0) const;

 private:
  const gemm::HostOperands host_;
  std::vector<DeviceProblem> devices_;
  std::optional<DeviceProblem::Outcome> second_;
};

}  // namespace harness
