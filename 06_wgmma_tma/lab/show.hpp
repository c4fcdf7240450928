#pragma once
// The lab's two demonstrations, and what they consist of.

#include "case.hpp"

#include <string>
#include <vector>

namespace wgmma_lab {

struct Example {
  std::string title;
  Case c;
};

std::vector<Example> worked_examples();  // the four of the notes: m64n32k16
std::vector<Example> deep_examples();    // K = 64: how descriptors advance
std::vector<Example> tma_examples();     // K = 64, tiles brought by TMA
std::vector<Example> other_examples();   // fp16 sums, signs, registers rewritten

// Arguments that are wrong, and what comes of it: one of `said`, which one depending on when copies
// complete.
struct Mistake {
  std::string name;
  std::string planted;
  Case c;
  Change change;
  std::vector<std::string> said;
};
std::vector<Mistake> mistakes();

// What comes of a mistake: the error that is named, or what is wrong with the results; empty if it
// passes unnoticed.
std::string consequence(const Mistake& mistake);
bool is_expected(const Mistake& mistake, const std::string& consequence);

int show_lab();       // 0: everything right; 1: not
int show_mistakes();  // 0: each is named; 1: not. core::Refused on a GPU
int show_offsets();   // the table of README.md

}  // namespace wgmma_lab
