#include <test/backend.hpp>

#include <runtime/launch.hpp>
#include <runtime/settings.hpp>

namespace test {

std::vector<std::string> all_policies() {
  return {"late", "early", "mix", "random:1", "random:2", "random:3"};
}

void set_policy(const std::string& policy) {
  runtime::set_policy(policy);
}

std::optional<int> compute_capability() {
  return std::nullopt;
}

std::optional<std::string> what_runs(const harness::Plan& plan) {
  const runtime::Rehearsal rehearsal;
  plan.run(gpu::Stream{});
  const auto launches = rehearsal.launches();
  if (!launches) return std::nullopt;
  return runtime::to_string(runtime::policy()) + ": " + *launches;
}

}  // namespace test
