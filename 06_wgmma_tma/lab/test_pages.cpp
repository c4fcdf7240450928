// The lab on the CPU backend: mistakes are named, LBO and SBO are those of the notes, and README.md
// shows what the programs print. LAB_PAGE and LAB_PROGRAMS are set by the build.

#include "page.hpp"
#include "show.hpp"

#include <runtime/settings.hpp>
#include <test/catch.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

using namespace wgmma_lab;

namespace {

using enum core::SwizzleMode;
using layout::Major;

const char* const kPolicies[] = {"late", "early", "mix", "random:1", "random:2", "random:3"};

std::string output_of(const std::string& command) {
  const std::string line = "PATH=" LAB_PROGRAMS ":$PATH; " + command + " 2>&1";
  FILE* pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), n);
  }
  pclose(pipe);
  return out;
}

std::string page() {
  std::ifstream file(LAB_PAGE);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

core::MatrixDescriptorFields fields_of(const Operand& operand) {
  return {0, operand.leading_bytes(), operand.stride_bytes(), 0, operand.form.swizzle};
}

}  // namespace

TEST_CASE("mistakes are named, whenever copies complete") {
  std::set<std::string> names;
  for (const Mistake& mistake : mistakes()) {
    names.insert(mistake.name);
    for (const char* policy : kPolicies) {
      runtime::set_policy(policy);
      const std::string said = consequence(mistake);
      INFO(mistake.name << " under " << policy << ": " << said);
      CHECK(is_expected(mistake, said));
      // The same case without the change is right.
      CHECK(run(mistake.c, Data::kIntegers).why == "");
    }
  }
  CHECK(names.size() == mistakes().size());
  for (const char* name : {"swapped", "swizzle_mode", "start", "expect"})
    CHECK(names.count(name) == 1);
  runtime::set_policy("late");
}

TEST_CASE("errors of the runtime say where: the kernel's file and line") {
  for (const Mistake& mistake : mistakes()) {
    if (mistake.name == "swapped_inside" || mistake.name == "swizzle_mode_stored") continue;
    INFO(mistake.name);
    CHECK(consequence(mistake).find("lab/one_wgmma.cuh:") != std::string::npos);
  }
}

TEST_CASE("every example is right whenever copies complete") {
  for (const char* policy : kPolicies) {
    runtime::set_policy(policy);
    for (const auto& examples : {worked_examples(), tma_examples(), other_examples()}) {
      for (const Example& example : examples) {
        INFO(example.title << " under " << policy);
        CHECK(run(example.c).why == "");
      }
    }
  }
  runtime::set_policy("late");
}

// Units of 16 bytes; 0 where any value will do.
TEST_CASE("layouts, LBO and SBO are those of the notes") {
  struct Row {
    Form form;
    int rows;
    layout::Layout units;
    int leading, stride;
  };
  const Row rows[] = {
      {{Major::kK, kNone}, 64, {{{8, 8}, {1, 2}}, {{1, 8}, {1, 64}}}, 64, 8},
      {{Major::kK, kNone}, 32, {{{8, 4}, {1, 2}}, {{1, 8}, {1, 32}}}, 32, 8},
      {{Major::kMn, k64B}, 64, {{{4, 2}, {8, 2}}, {{1, 32}, {4, 64}}}, 32, 64},
      {{Major::kMn, kNone}, 32, {{{1, 4}, {8, 2}}, {{1, 8}, {1, 32}}}, 32, 8},
      {{Major::kMn, k128B}, 64, {{{8, 1}, {8, 2}}, {{1, 64}, {8, 64}}}, 0, 64},
      {{Major::kK, k32B}, 32, {{{8, 4}, {2, 1}}, {{2, 16}, {1, 64}}}, 1, 16},
      {{Major::kMn, k64B}, 32, {{{4, 1}, {8, 2}}, {{1, 32}, {4, 32}}}, 0, 32},
  };
  for (const Row& row : rows) {
    const Operand operand = make_operand(row.form, row.rows, kStepK);
    INFO(name(row.form) << ", " << row.rows << " rows: " << units_text(operand));
    CHECK(layout::recast(operand.tile, 16, 128).layout == row.units);
    CHECK(operand.strides.leading == row.leading);
    CHECK(operand.strides.stride == row.stride);
  }
}

TEST_CASE("the hardware's rule finds every unit of every form, and of none with other offsets") {
  for (const Major major : {Major::kK, Major::kMn}) {
    for (const core::SwizzleMode swizzle : {kNone, k32B, k64B, k128B}) {
      for (const int rows : {32, 64, 256}) {
        for (const Atoms atoms : {Atoms::kRowsFirst, Atoms::kBoxes}) {
          const Operand operand = make_operand({major, swizzle}, rows, 64, atoms);
          INFO(name(operand.form) << ", " << rows << " rows");
          CHECK(misread(operand, fields_of(operand), 0) == std::nullopt);
          auto wrong = fields_of(operand);
          if (operand.strides.stride_used) {
            wrong.stride_bytes += 16;
            CHECK(misread(operand, wrong, 0) != std::nullopt);
          }
          wrong = fields_of(operand);
          wrong.leading_bytes += 16;
          CHECK((misread(operand, wrong, 0) != std::nullopt) == operand.strides.leading_used);
          wrong = fields_of(operand);
          wrong.swizzle = swizzle == k128B ? kNone : k128B;
          CHECK(misread(operand, wrong, 0) != std::nullopt);
        }
      }
    }
  }
}

TEST_CASE("a step of 16 columns inside a swizzle's row is 32 bytes") {
  const auto steps = [](const Form& form) {
    const Operand operand = make_operand(form, 64, 64);
    std::vector<int> out;
    for (int step = 0; step < 4; ++step) out.push_back(operand.advance(step));
    return out;
  };
  CHECK(steps({Major::kK, k128B}) == std::vector<int>{0, 32, 64, 96});
  CHECK(steps({Major::kK, k64B}) == std::vector<int>{0, 32, 4096, 4128});
  CHECK(steps({Major::kK, k32B}) == std::vector<int>{0, 2048, 4096, 6144});
  CHECK(steps({Major::kK, kNone}) == std::vector<int>{0, 2048, 4096, 6144});
  CHECK(steps({Major::kMn, k128B}) == std::vector<int>{0, 2048, 4096, 6144});
}

TEST_CASE("a wrong sum is not passed as right") {
  // B's tile starts one unit late: products of other elements, and NaN from behind the tile.
  const Verdict late = run({}, Data::kIntegers, [](Arguments& job) { job.a.advance[0] = 16; });
  CHECK_FALSE(late.right);
  CHECK(late.why.find("results are wrong") != std::string::npos);
  const Verdict other = run({}, Data::kRandom, [](Arguments& job) { job.b.values = job.a.values; });
  CHECK_FALSE(other.right);
}

TEST_CASE("README.md prints what the programs print") {
  std::istringstream text(page());
  std::string line, command, expected;
  int compared = 0;
  bool in_block = false;
  const auto compare = [&] {
    if (!command.empty()) {
      INFO(command);
      CHECK(output_of(command) == expected);
      ++compared;
    }
    command.clear();
    expected.clear();
  };
  while (std::getline(text, line)) {
    if (line.rfind("```", 0) == 0) {
      compare();
      in_block = line == "```console";
    } else if (in_block && line.rfind("$ ", 0) == 0) {
      compare();
      command = line.substr(2);
    } else if (in_block) {
      expected += line + "\n";
    }
  }
  CHECK(compared >= 6);
}

// `lab_cpu --variant lab_offsets` prints it.
TEST_CASE("the table of offsets in README.md is up to date") {
  const std::string text = page(), open = "<!-- lab:offsets -->\n\n",
                    close = "\n<!-- /lab:offsets -->";
  const std::size_t begin = text.find(open), end = text.find(close);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  CHECK(text.substr(begin + open.size(), end - begin - open.size()) == offsets_table());
}
