#pragma once
// Running a grid: its gangs go to OS threads in their order.

#include <runtime/gang.hpp>

#include <optional>
#include <string>

namespace runtime {

// Runs the whole grid before it returns. Throws what went wrong in the gang with the lowest number,
// however many workers there are; gangs after it may not have run.
void run_grid(const Grid& grid);

// While it lives, launches of this thread are written down instead of being run: their kernels,
// grids and parameters. Where two rehearsals are equal, and so is the memory that the parameters
// point to, running the one does what running the other does.
class Rehearsal {
 public:
  Rehearsal();
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  void note(const Grid& grid);

  // One after another, as bytes. Nothing when there were none, or when one had a parameter that is
  // not plain bytes. Where the compiler cannot clear padding, it may tell equal launches apart.
  std::optional<std::string> launches() const;

 private:
  std::string launches_;
  bool comparable_ = true;
};

}  // namespace runtime
