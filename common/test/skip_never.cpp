#include <test/skip.hpp>

std::optional<std::string> test::skip_reason() {
  return std::nullopt;
}
