// The layout tool.

#include "fuzz.hpp"

#include <layout/tool/program.hpp>

int main(int argc, char** argv) {
  const fuzz::Arguments layouts = {"(4,(2,2)):(2,(1,8))",
                                   "(4,4):(4,1)",
                                   "8",
                                   "_4:_1",
                                   "((2,2),(2,2))",
                                   "Sw<2,3,3> o (8,32):(32,1)",
                                   "compose((4,4):(4,1), (4,2,2):(2,1,8))",
                                   "complement((2,3):(2,4), 24)",
                                   "coalesce((2,3):(1,2))",
                                   "right_inverse((2,3):(3,1))",
                                   "logical_divide((8,4):(1,8), 4:1)",
                                   "zipped_divide((8,4):(1,8), <4:1, 2:1>)",
                                   "tiled_divide((8,8), <2,2>)",
                                   "logical_product((2,5):(5,1), <3:5, 4:6>)",
                                   "zipped_product((2,2), (3,4))",
                                   "tiled_product((2,2), 3)",
                                   "blocked_product((4,3):(4,1), (1,2))",
                                   "raked_product((32,4):(4,1), (2,8):(8,1))",
                                   "tile_to_shape((8,4):(4,1), (16,16))",
                                   "281474976710656:281474976710656",
                                   "(1048576,1048576):(0,1)",
                                   "(0,4):(1,1)",
                                   "((((((((4))))))))",
                                   "A o B",
                                   ""};
  const fuzz::Target target{
      .name = "layout",
      .run = layout::tool::run_program,
      .flags = {{"", layouts},
                {"", layouts},
                {"", layouts},
                {"--json"},
                {"--latex"},
                {"--brief"},
                {"--svg", {"grid.svg", "/dev/null", "/dev/full", "/no/such/folder/grid.svg", "."}},
                {"--banks", {"8", "16", "32", "0", "-1", "9223372036854775807", "7"}},
                {"--vector", {"1", "8", "0", "-8", "9223372036854775807", "3"}},
                {"--tile", {"(4,4)", "(16,16)", "(0,1)", "8", "((2,2),4)", "(1048576,1048576)"}},
                {"--help"}},
      .long_run = [](const fuzz::Arguments&) { return false; }};
  return fuzz::fuzz_main(argc, argv, target);
}
