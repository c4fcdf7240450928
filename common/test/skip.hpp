#pragma once
// Whether a test program can run on this machine at all.

#include <optional>
#include <string>

namespace test {

// Nothing when the program can run; otherwise why not. The CUDA tests' version looks for a GPU,
// every other program's says nothing. Printed by main, which then exits with the status that ctest
// reports as skipped (SKIP_RETURN_CODE 77): Catch2 version 2 has no skip of its own.
std::optional<std::string> skip_reason();

}  // namespace test
