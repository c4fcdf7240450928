#include "program.hpp"

int main(int argc, char** argv) {
  return gallery::run_program(argc, argv);
}
