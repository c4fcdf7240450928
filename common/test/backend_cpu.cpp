#include <test/backend.hpp>

#include <runtime/launch.hpp>
#include <runtime/settings.hpp>

namespace test {

std::vector<std::string> policies(const harness::Chapter& chapter) {
  if (chapter.ceiling == harness::Ceiling::kFfma) return {"late"};
  return {"late", "mix", "random:1", "random:2", "random:3"};
}

void set_policy(const std::string& policy) {
  runtime::set_policy(policy);
}

std::optional<std::string> what_runs(const harness::Plan& plan) {
  const runtime::Rehearsal rehearsal;
  plan.run(gpu::Stream{});
  const auto launches = rehearsal.launches();
  if (!launches) return std::nullopt;
  return runtime::to_string(runtime::policy()) + ": " + *launches;
}

std::optional<std::string> why_not(const harness::Chapter&) {
  return std::nullopt;
}

}  // namespace test
