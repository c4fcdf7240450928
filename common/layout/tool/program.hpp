#pragma once
// layout 'EXPR': evaluates an expression of layout algebra and prints, lists or draws the result.
//
// Exit status: 0 printed; 2 the expression is not understood, the algebra refuses it, or the
// options are wrong.

namespace layout::tool {

// All of the program.
int run_program(int argc, char** argv);

}  // namespace layout::tool
