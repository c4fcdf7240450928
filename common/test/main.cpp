// One main for every test program, under Catch2 version 2 and 3 alike. Catch2 version 2 has no skip
// of its own: without a GPU, CUDA tests exit with the status that ctest reports as skipped.

#define CATCH_CONFIG_RUNNER  // what version 2 wants
#include <test/catch.hpp>

#include <core/error.hpp>
#if __has_include(<gpu/host.hpp>)  // in CUDA tests
#include <gpu/host.hpp>
#endif

#include <cstdio>

int main(int argc, char** argv) {
#if __has_include(<gpu/host.hpp>)
  if (const auto reason = gpu::why_no_device()) {
    std::printf("skipped: %s\n", reason->c_str());
    return core::kSkipped;
  }
#endif
  return Catch::Session().run(argc, argv);
}
