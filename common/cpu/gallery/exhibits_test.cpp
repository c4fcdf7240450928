// Every planted bug is caught, most are named, and always in the same words.

#include "exhibits.hpp"

#include <test/catch.hpp>

#include <fstream>
#include <sstream>

using namespace gallery;

static const std::vector<Result>& results() {
  static const std::vector<Result> all = run_all();
  return all;
}

TEST_CASE("errors say where: a file and a line, quoted") {
  for (const Result& result : results()) {
    for (const Outcome& outcome : result.outcomes) {
      if (outcome.ending != Ending::kNamed) continue;
      INFO(result.exhibit->name << ": " << outcome.message);
      CHECK(outcome.message.find(".cuh:") != std::string::npos);
      CHECK(outcome.message.find("\n      ") != std::string::npos);
    }
  }
}

TEST_CASE("a second run ends in the same way, with the same words") {
  for (const Result& result : results()) {
    INFO(result.exhibit->name);
    const Result again = run_all(*result.exhibit);
    for (std::size_t i = 0; i < policies().size(); ++i) {
      INFO(policies()[i]);
      CHECK(again.outcomes[i].ending == result.outcomes[i].ending);
      CHECK(again.outcomes[i].wrong == result.outcomes[i].wrong);
      CHECK(again.outcomes[i].message == result.outcomes[i].message);
    }
  }
}

TEST_CASE("long lines are wrapped, quoted source is not") {
  CHECK(wrapped("one two three", 8) == "one two\n  three");
  CHECK(wrapped("  one two three", 9) == "  one two\n    three");
  CHECK(wrapped("one\n      a  quoted line of source", 8) == "one\n      a  quoted line of source");
  CHECK(wrapped("one-very-long-word", 8) == "one-very-long-word");
}

// Every bug with its policies and with what is said of it. `make gallery` writes it.
TEST_CASE("the table in common/cpu/README.md is up to date, and no bug goes unnoticed") {
  std::ifstream file(GALLERY_README);
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::string open = "<!-- table:gallery -->\n\n", close = "\n<!-- /table -->";
  const std::size_t begin = page.find(open);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = page.find(close, begin);
  REQUIRE(end != std::string::npos);
  CHECK(page.substr(begin + open.size(), end - begin - open.size()) == markdown_table(results()));
  CHECK(page.find("| not noticed |\n") == std::string::npos);
}
