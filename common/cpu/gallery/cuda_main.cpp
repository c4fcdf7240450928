// bin/gallery_cuda NAME: one launch of one of the gallery's kernels on the GPU, for a profiler.

#include "runners.hpp"

#include <core/error.hpp>
#include <core/program.hpp>

#include <cstdio>

static int run_program(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  std::string names;
  for (const gallery::CorrectRun& run : gallery::counted_runs()) {
    names += (names.empty() ? "" : "|") + run.name;
    if (run.name != name) continue;
    const std::size_t wrong = run.run(run.sizes);
    std::printf("%s %dx%dx%d, bf16: %zu results are wrong\n", name.c_str(), run.sizes.m,
                run.sizes.n, run.sizes.k, wrong);
    return wrong == 0 ? core::kRight : core::kWrongResult;
  }
  throw core::Refused("usage: gallery_cuda " + names);
}

int main(int argc, char** argv) {
  return core::run_main("gallery_cuda", [&] { return run_program(argc, argv); });
}
