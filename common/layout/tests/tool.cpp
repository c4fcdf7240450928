// The `layout` program, run as a reader runs it: its output, exit status, JSON and drawings, and
// the examples of the page, which are compared word for word. LAYOUT_TOOL, LAYOUT_PAGE and
// LAYOUT_FIGURES are set by the build.

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include <test/catch.hpp>

#include "layouts.hpp"

using namespace layout;
using nlohmann::json;

namespace {

struct Run {
  int status;
  std::string out;  // standard error too
};

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// `arguments` as typed after the program's name, for the shell.
Run run(const std::string& arguments) {
  FILE* pipe = popen((std::string(LAYOUT_TOOL) + " " + arguments + " 2>&1").c_str(), "r");
  Run result{-1, ""};
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    result.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

// Of a drawing: the layout and what is known of it.
std::string title(const std::string& svg) {
  return svg.substr(svg.find("<title>"), svg.find("</title>") - svg.find("<title>"));
}

}  // namespace

TEST_CASE("the result is the first line, a table follows, in LaTeX too") {
  CHECK(run("'(2,3):(3,1)' --latex").out ==
        "% (2,3):(3,1)\n\\begin{tabular}{rrr}\n0 & 1 & 2 \\\\\n3 & 4 & 5 \\\\\n\\end{tabular}\n");
  CHECK(run("'(2,3):(3,1)'").out == "(2,3):(3,1)\n  0 1 2\n  3 4 5\n");
  CHECK(run("--brief '(2,3)'").out == "(2,3):(1,2)\n");           // a shape alone is column-major
  CHECK(run("'(1000,1000):(1000,1)'").out.size() < 64 * 64 * 8);  // the table is cut
}

TEST_CASE("wrong options: one line, exit 2") {
  for (const std::string arguments :
       {"", "4:1 5:1", "--jsn 4:1", "4:1 --json --latex", "4:1 --vector 2", "4:1 --banks 12",
        "'(2,2,2)' --banks 16", "'(2,2)' --banks 16 --vector 3",
        "'(4,4):(1,4)' --banks 16 --vector 4", "4:1 --tile 'Sw<1,0,1>'",
        "4:1 --svg /nonexistent/x.svg", "'(8,8)' --tile '(4,4)' --svg /nonexistent/x.svg",
        "'size(4:1)' --svg /tmp/x.svg"}) {
    const Run result = run(arguments);
    INFO(arguments << ": " << result.out);
    CHECK(result.status == 2);
    CHECK(result.out.find('\n') == result.out.size() - 1);
  }
  CHECK(run("--help").status == 0);
  CHECK(run("--help").out.find("raked_product") != std::string::npos);
}

TEST_CASE("json lists the values in colexicographic order") {
  const json plain = json::parse(run("'(2,3):(3,1)' --json").out);
  CHECK(
      plain ==
      json(
          {{"layout", "(2,3):(3,1)"}, {"size", 6}, {"cosize", 6}, {"values", {0, 3, 1, 4, 2, 5}}}));
  const json swizzled = json::parse(run("'Sw<1,0,1> o (2,2):(2,1)' --json").out);
  CHECK(swizzled["layout"] == "Sw<1,0,1> o (2,2):(2,1)");
  CHECK(swizzled["values"] == json({0, 3, 1, 2}));
  const json copy = json::parse(run("'tiled_copy((32,4):(4,1),(1,8))' --json").out);
  CHECK(copy["layout"] == "((4,32),8):((256,1),32)");
  CHECK(copy["tile"] == json({32, 32}));
  const json tile = json::parse(run("'wgmma_tile_k(32,16,(16,64))' --json").out);
  CHECK(tile["LBO"] == 1);
  CHECK(tile["SBO"] == 16);
  CHECK(json::parse(run("'size((2,3))' --json").out) == json({{"value", "6"}}));
  // Huge layouts are printed, but not listed or drawn.
  CHECK(run("--brief '(100000,100000)'").out == "(100000,100000):(1,100000)\n");
  CHECK(run("'(100000,100000)' --json").out ==
        "layout: 10000000000 values are too many to list, the limit is 1048576\n");
  CHECK(run("'(100000,100000)' --svg /tmp/x.svg").out ==
        "layout: 10000000000 cells are too many to draw, the limit is 16384\n");
  CHECK(json::parse(run("'(1024,1024)' --json").out)["values"].size() == 1048576);
}

TEST_CASE("banks and conflicts") {
  const json plain = json::parse(run("'(8,32):(32,1)' --banks 16 --json").out)["banks"];
  CHECK(plain["vector"] == 8);  // as long as rows are contiguous, up to 16 bytes
  CHECK(plain["worst"] == 4);
  CHECK(plain["ways"] == json({{4, 4, 4, 4}}));
  CHECK(plain["of"][1] == 16);  // row 1 starts 64 bytes further
  CHECK(run("'(8,32):(32,1)' --banks 16").out.find("4 phases, 16 wavefronts, worst 4-way\n") !=
        std::string::npos);
}

TEST_CASE("drawings") {
  const std::string file =
      std::filesystem::temp_directory_path() / ("layout_test_" + std::to_string(getpid()) + ".svg");
  const auto draw = [&](const std::string& arguments) {
    const Run result = run(arguments + " --svg " + file);
    INFO(result.out);
    CHECK(result.status == 0);
    const std::string drawn = contents(file);
    std::filesystem::remove(file);
    return drawn;
  };
  const auto count = [](const std::string& text, const std::string& part) {
    const std::regex pattern(part);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), pattern), {});
  };
  const std::string plain = draw("'(2,3):(3,1)'");
  CHECK(count(plain, "<rect x") == 6);
  CHECK(count(plain, ">5</text>") == 1);
  const std::string fragment = draw("mma_c");  // knows its tile: threads and values
  CHECK(count(fragment, "<rect x") == 128);
  CHECK(count(fragment, ">T31</text>") == 4);
  CHECK(count(fragment, ">V3</text>") == 32);
  const auto fills = [&](const std::string& arguments, const std::string& color) {
    return count(draw(arguments), color);
  };
  CHECK(fills("mma_c --group 32", "#bfe0e3") == 32);        // as many threads: a colour a value
  CHECK(fills("mma_c --group 16", "#bfe0e3") == 64);        // lanes 16 to 31
  CHECK(fills("'(4,4):(4,1)' --group 8", "#bfe0e3") == 8);  // values 8 to 15
  CHECK(run("'(4,4)' --group 0 --svg x.svg").status == 2);
  const std::string shared = draw("'tiled_mma_b((2,2,1),<32,16,16>)'");
  CHECK(count(shared, "V0 [+]1") == 64);  // two warps hold the same elements
  const std::string banks = draw("'Sw<2,3,3> o (8,32):(32,1)' --banks 16");
  CHECK(count(banks, "bank 31<") == 8 * 32 / 32);
  CHECK(count(banks, "Sw&lt;2,3,3&gt;") > 0);
  CHECK(count(draw("'compose((4,4):(4,1),(4,2,2):(2,1,8))' --tile '(4,4)'"), ">T0</text>") == 4);
}

TEST_CASE("the page prints what the program prints, and shows what it draws") {
  std::istringstream page(contents(LAYOUT_PAGE));
  std::string line, fence, command, expected;
  int commands = 0, lines = 0, pictures = 0;
  while (std::getline(page, line)) {
    const bool begins = line.starts_with("$ layout ");
    if ((begins || line.starts_with("```")) && !command.empty()) {
      INFO(command);
      CHECK(run(command).out == expected);
      ++commands;
      command.clear();
    }
    if (line.starts_with("```")) {
      fence = line.substr(3);
    } else if (const std::size_t equals = line.find(" = "); fence == "layout") {
      INFO(line);  // expression = first line of its result
      REQUIRE(equals != std::string::npos);
      const std::string out = run("--brief '" + line.substr(0, equals) + "'").out;
      CHECK(out.substr(0, out.find('\n')) == line.substr(equals + 3));
      ++lines;
    } else if (const std::size_t svg = line.find(" --svg "); fence == "sh") {
      INFO(line);  // shown is the layout that the command gives; the style may be another
      REQUIRE(svg != std::string::npos);
      const std::string file = line.substr(svg + 7);
      CHECK(run(line.substr(7)).status == 0);
      CHECK(title(contents(file)) == title(contents(LAYOUT_FIGURES "/" + file)));
      std::filesystem::remove(file);
      ++pictures;
    }
    if (begins) {
      command = line.substr(9);
      expected.clear();
    } else {
      expected += line + "\n";
    }
  }
  CHECK(commands >= 5);
  CHECK(lines >= 50);
  CHECK(pictures >= 10);
}
