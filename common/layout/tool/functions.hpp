#pragma once

// The functions an expression may call, by name.

#include <string>
#include <vector>

#include "expression.hpp"

namespace layout::tool {

// An argument with the column it starts at, to blame it.
struct Argument {
  Value value;
  std::size_t column;
};

struct Function {
  const char* name;
  const char* parameters;  // "" for a plain name; optional ones in brackets
  const char* help;
  Value (*call)(const std::vector<Argument>& arguments);
};

// The function of that name, or nullptr.
const Function* find_function(const std::string& name);

// Conversions that blame the argument where it is of another kind.
Layout as_layout(const Argument& argument);
bool is_tile(const Argument& argument);
Value compose_values(const Argument& a, const Argument& b);

}  // namespace layout::tool
