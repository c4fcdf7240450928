// The same kernels on the GPU.

#include "runners.hpp"

#include <test/catch.hpp>

TEST_CASE("without a bug the gallery's kernels are right on the GPU") {
  for (const gallery::CorrectRun& run : gallery::correct_runs()) {
    INFO(run.name);
    std::size_t wrong = 1;
    CHECK_NOTHROW(wrong = run.run(run.sizes));
    CHECK(wrong == 0);
  }
}
