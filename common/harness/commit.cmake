# cmake -DOUTPUT=commit.cpp -DSOURCE=folder [-DCOMMIT=text] -P commit.cmake
# Writes the commit that is being built into a source file; only when it changed, so that nothing is
# compiled again without need.

if(NOT COMMIT)
  execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  if(failed OR NOT COMMIT)
    set(COMMIT unknown)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include <harness/device.hpp>

namespace harness {

const char* commit() { return "@COMMIT@"; }

}  // namespace harness
]] @ONLY)
