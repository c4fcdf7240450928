# cmake -DOUTPUT=build.cpp -DSOURCE=folder -DCOMPILER=text [-DCOMMIT=text] -P commit.cmake
# Writes what is being built, and by what, into a source file; only when it changed, so that nothing
# is compiled again without need.

if(NOT COMMIT)
  execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
namespace harness {
const char* commit() { return "@COMMIT@"; }
const char* host_compiler() { return "@COMPILER@"; }
}
]] @ONLY)
