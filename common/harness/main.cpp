// main() of every chapter and of `bench`. The chapters linked beside it register themselves.

#include <harness/driver.hpp>

int main(int argc, char** argv) {
  return harness::run_program(argc, argv);
}
