#include "show.hpp"

#include "page.hpp"

#include <core/error.hpp>
#include <harness/backend.hpp>
#include <harness/chapter.hpp>

#include <cstdio>

namespace wgmma_lab {

namespace {

using enum core::SwizzleMode;
using layout::Major;

constexpr int kMapLines = 8;  // of a worked example
constexpr int kFewLines = 3;  // of an operand in the list of all

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

struct Count {
  int right = 0, all = 0;

  void add(const Verdict& verdict) {
    ++all;
    right += verdict.right ? 1 : 0;
  }
};

void heading(const std::string& text) {
  std::printf("\n%s\n%s\n\n", text.c_str(), std::string(text.size(), '=').c_str());
}

// Operands, steps along k where there are several, and the verdict.
void show_example(const Example& example, Count& count) {
  const Case& c = example.c;
  const Verdict verdict = run(c);
  count.add(verdict);
  print("--- " + example.title + ": " + instruction_text(c) + "\n\n");
  const auto operand = [&](const Operand& o, Which which, core::MatrixDescriptor used) {
    print(operand_text(o, which, used, kMapLines));
    if (c.k > kStepK) print("  steps along k\n" + advance_text(o, used));
    print("\n");
  };
  if (!c.a_in_registers) operand(c.operand_a(), Which::kA, verdict.a);
  if (c.a_in_registers) {
    print("A, 64 x 16, in registers: " + to_string(layout::wgmma_m64k16(8).a) +
          ", (thread, value) -> m + 64 k\n\n");
  }
  operand(c.operand_b(), Which::kB, verdict.b);
  print("D = A B^T, 64 x " + std::to_string(c.n) + ": " + verdict_text(verdict) + "\n\n");
}

// One line: which, the operands' layouts and steps, the verdict.
void show_briefly(const Example& example, Count& count) {
  const Case& c = example.c;
  const Verdict verdict = run(c);
  count.add(verdict);
  char line[160];
  std::snprintf(line, sizeof line, "%-58s %s\n", example.title.c_str(),
                verdict_text(verdict).c_str());
  print(line);
}

void show_deep(const Example& example, Count& count) {
  const Verdict verdict = run(example.c);
  count.add(verdict);
  const Operand b = example.c.operand_b();
  print(example.title + ": " + verdict_text(verdict) + "\n    B " + operand_line(b) + "\n" +
        advance_text(b, verdict.b));
}

// Every form in full, once for each number of rows.
void show_operands() {
  for (const int n : {0, 32, 256}) {  // 0: A
    for (const Major major : {Major::kK, Major::kMn}) {
      for (const core::SwizzleMode swizzle : {kNone, k32B, k64B, k128B}) {
        const Form form{major, swizzle};
        Case c;
        if (n > 0) c.n = n;
        (n == 0 ? c.a : c.b) = form;
        const Verdict used = run(c, Data::kIntegers);
        print(n == 0 ? operand_text(c.operand_a(), Which::kA, used.a, kFewLines)
                     : operand_text(c.operand_b(), Which::kB, used.b, kFewLines));
        print("\n");
      }
    }
  }
}

void show_combinations(Count& count) {
  for (const Case& c : all_combinations()) {
    const Verdict verdict = run(c);
    count.add(verdict);
    const std::string a = c.a_in_registers ? std::string("in registers")
                                           : operand_line(c.operand_a()) + " " + hex(verdict.a);
    print(instruction_text(c) + ": " + verdict_text(verdict) + "\n  A " + a + "\n  B " +
          operand_line(c.operand_b()) + " " + hex(verdict.b) + "\n");
  }
}

}  // namespace

int show_lab() {
  Count count;
  heading("Worked examples: one wgmma each");
  for (const Example& example : worked_examples()) show_example(example, count);
  heading("Along K: four wgmmas on a tile of 64 columns");
  for (const Example& example : deep_examples()) show_deep(example, count);
  heading("Tiles brought by TMA: the boxes decide the order of the atoms");
  for (const Example& example : tma_examples()) show_deep(example, count);
  heading("fp16 sums, negated operands, registers of A rewritten");
  for (const Example& example : other_examples()) show_briefly(example, count);
  heading("Every form of an operand");
  show_operands();
  heading("Every combination: source of A, majors, swizzles, N = 32 and 256, bf16 and fp16");
  show_combinations(count);
  std::printf("\n%d of %d products are right, on integers exactly\n", count.right, count.all);
  return count.right == count.all ? core::kRight : core::kWrongResult;
}

int show_mistakes() {
  if (harness::backend::kind() != harness::Backend::kCpu) {
    throw core::Refused(
        "--variant lab_mistakes: the CPU backend names them, a GPU would compute nonsense or hang; "
        "add --backend cpu");
  }
  int status = core::kRight;
  for (const Mistake& mistake : mistakes()) {
    const std::string said = consequence(mistake);
    print(mistake.name + ": " + mistake.planted + "\n    " +
          (said.empty() ? "not noticed" : said.substr(0, said.find('\n'))) + "\n");
    if (!is_expected(mistake, said)) status = core::kWrongResult;
  }
  return status;
}

int show_offsets() {
  print(offsets_table());
  return core::kRight;
}

namespace {

const harness::Registration lab({.chapter = "lab",
                                 .name = "lab",
                                 .summary = "one wgmma in every form, explained by README.md",
                                 .run = show_lab});
const harness::Registration lab_mistakes({.chapter = "lab",
                                          .name = "lab_mistakes",
                                          .summary = "wrong descriptors, and what names them",
                                          .run = show_mistakes});
const harness::Registration lab_offsets({.chapter = "lab",
                                         .name = "lab_offsets",
                                         .summary = "LBO and SBO of every form, as a table",
                                         .run = show_offsets});

}  // namespace

}  // namespace wgmma_lab
