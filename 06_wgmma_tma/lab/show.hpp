#pragma once
// What the lab shows: examples that are right, mistakes that are named.

#include "one_wgmma.hpp"

#include <functional>
#include <string>
#include <vector>

namespace wgmma_lab {

struct Example {
  std::string title;
  Case c;
};
std::vector<Example> worked_examples();     // the four of the notes: one wgmma each
std::vector<Example> every_form(bool tma);  // K = 64, A and B alike: how descriptors advance
std::vector<Example> other_examples();      // fp16 accumulators, signs, registers rewritten

// Arguments that are wrong, and what is said of them, whenever copies complete.
struct Mistake {
  std::string name, planted;
  Case c;
  std::function<void(Arguments&)> change;
  std::string said;
};
std::vector<Mistake> mistakes();

// What comes of a mistake: the error that is named, or what is wrong with the results; empty if it
// passes unnoticed.
std::string consequence(const Mistake& mistake);

// LBO, SBO and steps along k of every form: README.md's table.
std::string offsets_table();

}  // namespace wgmma_lab
