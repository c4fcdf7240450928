#include <test/skip.hpp>

#include <gpu/host.hpp>

std::optional<std::string> test::skip_reason() {
  return gpu::why_no_device();
}
