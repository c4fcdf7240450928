#pragma once
// The programs in one folder, and how one starts another. A chapter is three programs that never
// share a link: NN_name (CUDA), NN_name_cpu, and NN_name_traced (the CPU backend with every load
// and store seen).

#include <harness/options.hpp>

#include <string>
#include <vector>

namespace harness {

// Replaces this process by another of the three programs, "", "_cpu" or "_traced", after printing
// `notice` to standard error. Returns only by throwing core::Refused, with one line that begins
// with `why`, when there is no such program.
[[noreturn]] void become(const std::string& suffix, const std::string& why,
                         const std::vector<std::string>& arguments, const std::string& notice = "");

// A program that this one starts when its own chapters are done: `bench` starts every_shape, built
// for what it is built for itself.
class Beside {
 public:
  // It takes part when --chapter names it, and where no chapter and no variant but `all` is named.
  // Takes its name out of options.chapters; becomes it where it was the only one. `name` empty:
  // there is none.
  Beside(const std::string& name, Options& options, std::vector<std::string> arguments);

  // Runs it with the command line of this program and these shapes where that names none; its exit
  // status. With `results`, the text of a result file, its rows are added to them. One line and
  // status 0 where there is no such program and --chapter did not name it.
  int run(const std::vector<Shape>& shapes, std::string* results) const;

 private:
  std::string program_;                 // empty: it takes no part
  std::vector<std::string> arguments_;  // for it
  bool shapes_given_;
};

}  // namespace harness
