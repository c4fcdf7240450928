// One main for every test program, under Catch2 version 2 and 3 alike.

#define CATCH_CONFIG_RUNNER  // what version 2 wants
#include <test/catch.hpp>
#include <test/skip.hpp>

#include <core/error.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  if (const auto reason = test::skip_reason()) {
    std::printf("skipped: %s\n", reason->c_str());
    return core::kSkipped;
  }
  return Catch::Session().run(argc, argv);
}
