#pragma once
// A program beside this one: `bench` starts every_shape instead of holding it.

#include <harness/options.hpp>

#include <string>
#include <vector>

namespace harness {

// The worse of two exit statuses: a lost device, a wrong result, a refusal, none.
int worse(int one, int other);

// The registered companion, if the command line asks for it: no --chapter is given, or its own. Of
// its variants the default takes part, unless its name is given.
class Beside {
 public:
  // Takes the companion's name out of options.chapters; where no other is there, becomes it.
  Beside(Options& options, const std::vector<std::string>& arguments);

  // Starts the companion with the command line of this program, waits for it, and returns its exit
  // status. `shapes` are measured where the command line names none. With `results`, the text of a
  // result file, its rows are added to them. Where there is no such program: one line, status 0.
  int run(const std::vector<Shape>& shapes, std::string* results) const;

  // Becomes the companion where it takes part uncalled and is there; returns otherwise.
  void run_instead() const;

 private:
  std::string name_;  // empty: it takes no part
  bool called_ = false;
  bool shapes_given_ = false;
  std::vector<std::string> arguments_;  // for the companion
};

}  // namespace harness
