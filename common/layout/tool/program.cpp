#include "program.hpp"

#include <core/program.hpp>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "result.hpp"

namespace {

std::string function_list() {
  std::string text = "Functions:\n";
  for (const auto& function : layout::tool::functions()) {
    const std::string parameters = function.parameters;
    const std::string call = function.name + (parameters.empty() ? "" : "(" + parameters + ")");
    text += "  " + call + std::string(call.size() < 30 ? 30 - call.size() : 1, ' ');
    text += std::string(function.help) + "\n";
  }
  text +=
      "\nLayouts are written (4,(2,2)):(2,(1,8)), a shape alone is column-major; swizzles "
      "Sw<B,M,S> o L; tiles\n"
      "<B0,B1>; A o B composes. Values are listed in colexicographic order of the domain.";
  return text;
}

struct Options {
  std::string expression;
  bool json = false;
  bool latex = false;
  bool brief = false;
  std::string svg;
  layout::Int bank_bits = 0;
  layout::Int vector = 0;
  std::string tile;
  layout::Int group = 0;
};

int run(const Options& options) {
  using namespace layout::tool;
  Result result = make_result(evaluate(options.expression));
  if (!options.tile.empty()) {
    const Value tile = evaluate(options.tile);
    const auto* shape = std::get_if<layout::IntTuple>(&tile.data);
    if (shape == nullptr || shape->rank() != 2 || shape->node_count() != 3 ||
        shape->product() == 0) {
      throw core::Refused("--tile: expected a shape (rows,cols), found " + options.tile);
    }
    result.tile = *shape;
  }
  if (options.bank_bits != 0 || options.vector != 0) {
    if (options.bank_bits == 0) throw core::Refused("--vector goes with --banks");
    if (!result.layout) throw core::Refused("--banks: " + result.text + " is no layout");
    result.banks = count_banks(result, options.bank_bits, options.vector);
  }
  result.group = options.group;
  if (!options.svg.empty()) core::OutputFile(options.svg, "--svg").write(as_svg(result));
  const std::string text = options.json    ? as_json(result)
                           : options.latex ? as_latex(result)
                                           : as_text(result, options.brief);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return core::kRight;
}

int evaluate_and_show(int argc, char** argv) {
  CLI::App app(
      "Evaluates an expression of layout algebra: layout 'compose((4,4):(4,1), (4,2,2):(2,1,8))'");
  app.footer(function_list());
  Options options;
  app.add_option("expression", options.expression, "what to evaluate, in quotes")->required();
  auto* json = app.add_flag("--json", options.json, "one JSON object with all values");
  auto* latex = app.add_flag("--latex", options.latex, "a LaTeX table")->excludes(json);
  app.add_flag("--brief", options.brief, "the result alone, no table")
      ->excludes(json)
      ->excludes(latex);
  app.add_option("--svg", options.svg, "also draw the grid into this file");
  app.add_option("--banks", options.bank_bits,
                 "banks and conflicts of column reads, elements of so many bits");
  app.add_option("--vector", options.vector,
                 "elements per thread and access, with --banks (default: up to 16 bytes)");
  app.add_option("--tile", options.tile, "draw as threads and values of a tile (rows,cols)");
  app.add_option("--group", options.group,
                 "draw so many threads, or values, in one colour (default: every one has its own)")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw core::Refused(error.what());
  }
  try {
    return run(options);
  } catch (const layout::Refused& why) {
    throw core::Refused(why.what());
  }
}

}  // namespace

int layout::tool::run_program(int argc, char** argv) {
  return core::run_main("layout", [&] { return evaluate_and_show(argc, argv); });
}
