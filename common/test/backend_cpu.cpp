#include <test/backend.hpp>

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

}  // namespace test
