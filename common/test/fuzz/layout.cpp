// The layout tool.

#include "fuzz.hpp"

#include <layout/tool/program.hpp>

int main(int argc, char** argv) {
  const fuzz::Arguments layouts = {"(4,(2,2)):(2,(1,8))",
                                   "Sw<2,3,3> o (8,32):(32,1)",
                                   "compose((4,4):(4,1), (4,2,2):(2,1,8))",
                                   "complement((2,3):(2,4), 24)",
                                   "zipped_divide((8,4):(1,8), <4:1, 2:1>)",
                                   "logical_product((2,5):(5,1), <3:5, 4:6>)",
                                   "tile_to_shape((8,4):(4,1), (16,16))",
                                   "281474976710656:281474976710656",
                                   "(1048576,1048576):(0,1)",
                                   "A o B"};
  return fuzz::fuzz_main(
      argc, argv,
      {"layout", layout::tool::run_program, layouts, [](const fuzz::Arguments&) { return false; }});
}
