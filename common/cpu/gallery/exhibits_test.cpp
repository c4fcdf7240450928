// Every planted bug is caught, most are named, and always in the same words.

#include "exhibits.hpp"
#include "words.hpp"

#include <core/error.hpp>
#include <test/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace {

using namespace gallery;

const std::vector<Result>& results() {
  static const std::vector<Result> all = [] {
    std::vector<Result> out;
    for (const Exhibit& exhibit : exhibits()) out.push_back(run_all(exhibit));
    return out;
  }();
  return all;
}

Ending best_ending(const Result& result) {
  return result.outcomes[result.best()].ending;
}

}  // namespace

TEST_CASE("each bug is exhibited once, under a name of its own") {
  constexpr int kLast = static_cast<int>(Bug::kCopyUnaligned);
  REQUIRE(exhibits().size() == kLast);
  for (int bug = 1; bug <= kLast; ++bug) {
    CHECK(std::count_if(exhibits().begin(), exhibits().end(), [&](const Exhibit& exhibit) {
            return static_cast<int>(exhibit.bug) == bug;
          }) == 1);
  }
  for (const Exhibit& exhibit : exhibits()) {
    CHECK(std::count_if(exhibits().begin(), exhibits().end(),
                        [&](const Exhibit& e) { return e.name == exhibit.name; }) == 1);
  }
}

TEST_CASE("every bug is caught by some policy") {
  for (const Result& result : results()) {
    INFO(result.exhibit->name);
    CHECK(best_ending(result) != Ending::kNotNoticed);
  }
}

TEST_CASE("at least four of five bugs are named by some policy") {
  const auto named = std::count_if(results().begin(), results().end(), [](const Result& result) {
    return best_ending(result) == Ending::kNamed;
  });
  CHECK(named * 5 >= static_cast<long>(results().size()) * 4);
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

TEST_CASE("the deadlock report ends with a likely cause where the state shows one") {
  const auto cause_of = [](const std::string& name) -> std::string {
    for (const Result& result : results()) {
      if (result.exhibit->name == name) return verdict(result);
    }
    return "";
  };
  CHECK(cause_of("expect_too_many").find("128 expected bytes that no load is bringing") !=
        std::string::npos);
  CHECK(cause_of("multicast_mask").find("a multicast's mask leaves this block out") !=
        std::string::npos);
  CHECK(cause_of("empty_parity").find("parity 1, on a fresh mbarrier") != std::string::npos);
  CHECK(cause_of("arrival_count").find("more arrivals than init() was told") != std::string::npos);
}

TEST_CASE("an unknown policy is refused") {
  CHECK_THROWS_AS(run(exhibits().front(), "sometimes"), core::Refused);
}

TEST_CASE("long lines are wrapped, quoted source is not") {
  CHECK(wrapped("one two three", 8) == "one two\n  three");
  CHECK(wrapped("  one two three", 9) == "  one two\n    three");
  CHECK(wrapped("one\n      a  quoted line of source", 8) == "one\n      a  quoted line of source");
  CHECK(wrapped("one-very-long-word", 8) == "one-very-long-word");
}

TEST_CASE("the essence of a message is one line without block, thread and remark") {
  CHECK(essence("gallery/a.cuh:1: x (late?) (block (0,0,0), thread 5)\n      a.cuh:1  f();") ==
        "a.cuh:1: x");
  CHECK(essence("gallery/a.cuh:1: call f() (block (0,0,0), thread 5)") == "a.cuh:1: call f()");
  CHECK(essence("gallery/a.cuh:1: y (why f() (now))") == "a.cuh:1: y");
  CHECK(essence("deadlock: no thread can move\n  block\n  likely cause: z") == "deadlock: z");
  CHECK(essence("deadlock: no thread can move\n  block") == "deadlock: no thread can move");
}

// `make gallery` writes it.
TEST_CASE("the table in common/cpu/README.md is up to date") {
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
}
