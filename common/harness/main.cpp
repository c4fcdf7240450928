// main() of every chapter and of `bench`. The chapters linked beside it register themselves.

#include <core/program.hpp>
#include <harness/job.hpp>

int main(int argc, char** argv) {
  const std::string program = std::filesystem::path(argc > 0 ? argv[0] : "gemm").filename();
  return core::run_main(program, harness::run, argc, argv, program);
}
