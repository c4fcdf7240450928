#include "backend.hpp"

#include <runtime/settings.hpp>

namespace words {

std::vector<std::string> policies() {
  return {"late", "early", "mix", "random:1", "random:2", "random:3"};
}

void set_policy(const std::string& policy) {
  runtime::set_policy(policy);
}

std::optional<std::string> why_not() {
  return std::nullopt;
}

}  // namespace words
