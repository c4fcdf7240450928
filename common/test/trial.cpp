#include <test/trial.hpp>

#include <test/backend.hpp>
#include <test/rules.hpp>

#include <core/error.hpp>

#include <optional>

namespace test {

std::vector<std::string> judge_refusal(const harness::Chapter& chapter,
                                       const std::string& message) {
  if (message.find(chapter.name) == std::string::npos || message.find('\n') != std::string::npos) {
    return {"not a line that names the chapter: " + message};
  }
  return {};
}

// Once, or twice, on C as it is before a run.
std::vector<std::string> SharedCase::run(const harness::Plan& plan) {
  std::vector<std::byte> first;
  for (int runs = 0; runs < (case_.repeat ? 2 : 1); ++runs) {
    trial_.reset_c();
    plan.run(gpu::Stream{});
    gpu::synchronize();
    const std::vector<std::string> complaints = trial_.complaints();
    if (!complaints.empty()) return complaints;
    const std::vector<std::byte> c = trial_.fetch_c();
    if (runs > 0 && c != first) return {"a second run of the plan gave another C"};
    first = c;
  }
  return {};
}

std::vector<std::string> SharedCase::try_variant(const harness::Chapter& chapter,
                                                 const harness::Variant& variant) {
  const Expected rule = expected(chapter, trial_.problem());
  try {
    plans_.push_back(harness::prepare(chapter, variant, trial_.problem()));
  } catch (const core::Refused& refused) {
    if (rule == Expected::kRight) return {std::string("refused: ") + refused.what()};
    return judge_refusal(chapter, refused.what());
  }
  if (rule == Expected::kRefused) return {"accepted, although the hardware forbids it"};
  const std::optional<std::string> runs = what_runs(plans_.back());
  if (runs && right_.count(*runs) > 0) return {};
  const std::vector<std::string> complaints = run(plans_.back());
  if (runs && complaints.empty()) right_.insert(*runs);
  return complaints;
}

}  // namespace test
