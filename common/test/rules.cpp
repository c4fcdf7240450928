#include <test/backend.hpp>

#include <harness/job.hpp>

namespace test {

std::vector<std::string> policies(const harness::Chapter& chapter) {
  std::vector<std::string> all = all_policies();
  if (chapter.ceiling == harness::Ceiling::kFfma) return {all.front()};
  std::erase(all, "early");  // "mix" completes some at once
  return all;
}

std::vector<std::string> policies_in_turn(const harness::Chapter& chapter, std::size_t index) {
  const std::vector<std::string> all = policies(chapter);
  if (all.size() == 1) return all;
  return {all.front(), all[1 + index % (all.size() - 1)]};
}

std::optional<std::string> why_not(const harness::Chapter& chapter) {
  return harness::why_unsupported(chapter, compute_capability());
}

}  // namespace test
