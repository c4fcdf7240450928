#pragma once
// Running a grid: its gangs are dealt to OS threads in their order.

#include <runtime/gang.hpp>

namespace runtime {

// Runs the whole grid before it returns. Throws what went wrong in the gang with the lowest number,
// however many workers there are; gangs after it may not have run.
void run_grid(const Grid& grid);

}  // namespace runtime
