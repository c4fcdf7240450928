#include "program.hpp"

int main(int argc, char** argv) {
  return layout::tool::run_program(argc, argv);
}
