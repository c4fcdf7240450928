// One main for every test program, under Catch2 version 2 and 3 alike.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

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
