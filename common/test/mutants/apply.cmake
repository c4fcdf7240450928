# cmake -DSOURCE=dir -DMUTANTS_FILE=path -DNAME=mutant -DOUTPUT=dir -P apply.cmake
# Copies the sources of the chapter in SOURCE to OUTPUT and plants one bug in the copy. An error when
# the old text does not occur exactly once: then the mutant no longer says what it means.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/read.cmake)
mutants_read("${MUTANTS_FILE}")
if(NOT NAME IN_LIST MUTANTS)
  message(FATAL_ERROR "${MUTANTS_FILE}: no mutant ${NAME}")
endif()
set(target "${MUTANT_${NAME}_FILE}")
set(old "${MUTANT_${NAME}_OLD}")
set(new "${MUTANT_${NAME}_NEW}")
if(NOT EXISTS "${SOURCE}/${target}")
  message(FATAL_ERROR "${MUTANTS_FILE}: mutant ${NAME}: there is no ${SOURCE}/${target}")
endif()

file(READ "${SOURCE}/${target}" text)
string(FIND "${text}" "${old}" first)
string(FIND "${text}" "${old}" last REVERSE)
if(first EQUAL -1)
  message(FATAL_ERROR "${MUTANTS_FILE}: mutant ${NAME}: its old text does not occur in ${target}")
elseif(NOT first EQUAL last)
  message(FATAL_ERROR "${MUTANTS_FILE}: mutant ${NAME}: its old text occurs more than once in "
                      "${target}")
endif()
string(LENGTH "${old}" length)
math(EXPR behind "${first} + ${length}")
string(SUBSTRING "${text}" 0 ${first} before)
string(SUBSTRING "${text}" ${behind} -1 after)

file(GLOB sources "${SOURCE}/*.cu" "${SOURCE}/*.cuh" "${SOURCE}/*.hpp")
file(COPY ${sources} DESTINATION "${OUTPUT}")
file(WRITE "${OUTPUT}/${target}" "${before}${new}${after}")
