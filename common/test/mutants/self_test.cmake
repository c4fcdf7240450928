# cmake -DWORK=dir -P self_test.cmake
# Reading, planting and judging, with good and bad files.
cmake_minimum_required(VERSION 3.25)
set(here ${CMAKE_CURRENT_LIST_DIR})
include(${here}/read.cmake)
file(REMOVE_RECURSE ${WORK})
set(failures 0 CACHE INTERNAL "")

# fail(message): notes it and goes on. expect(what condition...): fails unless the condition holds.
function(fail message)
  message("failed: ${message}")
  math(EXPR failures "${failures} + 1")
  set(failures ${failures} CACHE INTERNAL "")
endfunction()
function(expect what)
  if(NOT (${ARGN}))
    fail("${what}: status ${status}, output ${output}")
  endif()
endfunction()

set(kernel [=[
int a[4] = {1; 2; 3};  // ; and [ ] and "quotes" and \n and ${VARIABLE}
  barrier();
  compute();
  barrier();  // the second
]=])
file(WRITE ${WORK}/chapter/kernel.cuh "${kernel}")
file(WRITE ${WORK}/chapter/thread_map.hpp "one line\n")
file(WRITE ${WORK}/chapter/chapter.cu "#include \"kernel.cuh\"\n")

# plant(text name): sets status, output and planted (the mutated kernel) for a file with this text.
function(plant text name)
  file(WRITE ${WORK}/mutants.txt "${text}")
  file(REMOVE_RECURSE ${WORK}/out)
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${WORK}/chapter -DMUTANTS_FILE=${WORK}/mutants.txt
                          -DNAME=${name} -DOUTPUT=${WORK}/out -P ${here}/apply.cmake
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[\n ]+" " " output "${output}") # cmake breaks long messages into lines
  set(planted "")
  if(EXISTS ${WORK}/out/planted/kernel.cuh)
    file(READ ${WORK}/out/planted/kernel.cuh planted)
    string(REGEX REPLACE "// ${name}\n$" "" planted "${planted}")
  endif()
  set(status "${status}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
  set(planted "${planted}" PARENT_SCOPE)
endfunction()

# refused(text name message): planting must fail and say so.
function(refused text name message)
  plant("${text}" ${name})
  string(FIND "${output}" "${message}" found)
  if(status EQUAL 0 OR found EQUAL -1)
    fail("'${message}' was expected, got status ${status}: ${output}")
  endif()
endfunction()

# --- Planting ------------------------------------------------------------------------------------

set(two [=[
# A comment.

mutant no_second_barrier
why it matters
expect WRONG|deadlock
-----
  compute();
  barrier();
+++++
  compute();
=====
mutant line_one
expect WRONG
-----
{1; 2; 3};  // ; and [ ] and "quotes" and \n and ${VARIABLE}
+++++
{3; 2; 1};  // \n ${OTHER} "quotes" ] [
=====
mutant other_file
file thread_map.hpp
build other.cu
expect WRONG
-----
one
+++++

=====
]=])
plant("${two}" no_second_barrier)
string(REPLACE "  compute();\n  barrier();" "  compute();" expected "${kernel}")
expect("several lines replaced" status EQUAL 0 AND planted STREQUAL expected)
expect("everything copied" EXISTS ${WORK}/out/planted/chapter.cu AND EXISTS ${WORK}/out/planted/thread_map.hpp)
plant("${two}" line_one)
string(FIND "${planted}" [=[int a[4] = {3; 2; 1};  // \n ${OTHER} "quotes" ] []=] found)
expect("characters that mean something to cmake" status EQUAL 0 AND found EQUAL 0)
plant("${two}" other_file)
set(other "")
if(EXISTS ${WORK}/out/planted/thread_map.hpp)
  file(READ ${WORK}/out/planted/thread_map.hpp other)
endif()
set(line_without_one " line\n// other_file\n")
expect("another file, text removed" other STREQUAL line_without_one AND planted STREQUAL kernel)

mutants_read(${WORK}/mutants.txt)
expect("which file registers the kernels" MUTANT_other_file_BUILD STREQUAL other.cu)
expect("or the chapter's choice" NOT MUTANT_line_one_BUILD)

refused("${two}" unknown "no mutant unknown")
refused("mutant x\nexpect W\n-----\nnot there\n+++++\n\n=====\n" x "does not occur in kernel.cuh")
refused("mutant x\nexpect W\n-----\nbarrier();\n+++++\n\n=====\n" x "occurs more than once")
refused("mutant x\nexpect W\nfile no.hpp\n-----\na\n+++++\n\n=====\n" x "there is no")
refused("mutant x\n-----\na\n+++++\n\n=====\n" x "has no expect line")
refused("mutant x\nexpect W\n-----\n+++++\nb\n=====\n" x "has no old text")
refused("mutant x\nexpect W\n-----\nb\n+++++\nb\n=====\n" x "changes nothing")
refused("mutant x\nexpect W\n-----\nb\n+++++\nb\n" x "does not end")
refused("mutant x\nexpect W\nmutant y\n" x "has no texts")
refused("mutant x\nwhat is this\n" x "mutants.txt:2: not a line of a mutant: 'what is this'")
refused("expect W\n" x "expected 'mutant NAME'")
refused("${two}${two}" x "a second mutant no_second_barrier")

# --- Judging -------------------------------------------------------------------------------------

# judge(code text): sets status and output to what the judge says of a program that prints the text
# and, when told which mutant, exits so.
function(judge code text)
  file(WRITE ${WORK}/program "#!/bin/sh\necho '${text}'\ntest $1 = no_second_barrier && exit ${code}\n")
  file(CHMOD ${WORK}/program PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  file(WRITE ${WORK}/mutants.txt "${two}")
  execute_process(COMMAND ${CMAKE_COMMAND} -DPROGRAM=${WORK}/program
                          -DMUTANTS_FILE=${WORK}/mutants.txt -DNAME=no_second_barrier
                          -P ${here}/judge.cmake
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(status "${status}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()
judge(1 "WRONG: 3 entries")
expect("a wrong result is a catch" status EQUAL 0)
judge(3 "a deadlock: everyone waits")
expect("a named error is a catch" status EQUAL 0)
judge(0 "WRONG")
expect("survival is a failure" NOT status EQUAL 0 AND output MATCHES survived)
judge(2 "WRONG")
expect("another status is a failure" NOT status EQUAL 0)
judge(139 "WRONG")
expect("a crash is a failure" NOT status EQUAL 0)
judge(1 "something else")
expect("another message is a failure" NOT status EQUAL 0)

if(failures GREATER 0)
  message(FATAL_ERROR "${failures} checks failed")
endif()
