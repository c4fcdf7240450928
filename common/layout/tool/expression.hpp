#pragma once

// The language of the tool: layouts, tuples, swizzles and tiles, combined by the functions of the
// library.

#include <layout/layout.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace layout::tool {

// What an expression evaluates to. An IntTuple stands for itself as a shape or coordinate, and for
// the layout left() of it where a layout is wanted.
struct Value {
  std::variant<IntTuple, Layout, Swizzled, Swizzle, Tile> data;
  bool is_number = false;        // an IntTuple that is an answer, such as size(L), and no layout
  std::optional<IntTuple> tile;  // the tile that a thread-value layout maps into
  std::vector<std::pair<std::string, Int>>
      facts;  // further results with their names, such as LBO and SBO

  template <class T>
  Value(T held) : data(std::move(held)) {}
  Value(const TiledTv& tiled) : data(tiled.tv), tile(tiled.tile) {}
};

// Refuses text that does not follow the grammar, and a function that is given what it does not
// take. Columns count from 1.
[[noreturn]] inline void refuse_at(std::size_t column, const std::string& why) {
  refuse("column ", column, ": ", why);
}

// Evaluates an expression.
//
//   expression = term ['o' expression]                 composition
//   term       = tuple [':' tuple] | 'Sw<' B,M,S '>' | '<' expression, ... '>' | name ['('
//   expression, ... ')']
//              | '(' expression ')'                    a parenthesis before a name, '<' or 'Sw'
//              groups
//   tuple      = integer | '(' tuple, ... ')'
Value evaluate(const std::string& text);

// --- Between the parser and the functions ---------------------------------------------------

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

std::span<const Function> functions();

// Conversions that blame the argument where it is of another kind.
Layout as_layout(const Argument& argument);
Value compose_values(const Argument& a, const Argument& b);

}  // namespace layout::tool
