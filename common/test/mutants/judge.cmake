# cmake -DPROGRAM=path -DMUTANTS_FILE=path -DNAME=mutant -P judge.cmake
# Runs the program on the planted bug NAME. It must fail with status 1 (a wrong result) or 3 (an error that
# has a name), and say what the mutant expects.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/read.cmake)
mutants_read("${MUTANTS_FILE}")
execute_process(COMMAND "${PROGRAM}" "${NAME}" RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE output TIMEOUT 120)
if(status STREQUAL "0")
  message(FATAL_ERROR "mutant ${NAME} survived:\n${output}")
elseif(NOT status MATCHES "^[13]$")
  message(FATAL_ERROR "mutant ${NAME} ended with '${status}' instead of status 1 or 3:\n${output}")
elseif(NOT output MATCHES "${MUTANT_${NAME}_EXPECT}")
  message(FATAL_ERROR "mutant ${NAME} was caught, but not as expected "
                      "(${MUTANT_${NAME}_EXPECT}):\n${output}")
endif()
message("caught, status ${status}:\n${output}")
