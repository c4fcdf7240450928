# Planted bugs: copies of a chapter with one error each, which the contract tests must notice. They run
# on the CPU backend. mutants/read.cmake describes the file they are written in.

include(${CMAKE_CURRENT_LIST_DIR}/mutants/read.cmake)
set(MUTANTS_DIR ${CMAKE_CURRENT_LIST_DIR}/mutants CACHE INTERNAL "")

# mutants_prelude(): precompiled once for all chapters, all that they include of other folders. Copies
# are included inside of namespaces, where that must not happen any more.
function(mutants_prelude)
  # Of the chapters and asides that lie here, whether they are part of this build or not.
  set(chapters ${HOUSE_COMMON}/../[0-9][0-9]_*)
  file(GLOB registered CONFIGURE_DEPENDS ${chapters}/chapter.cu ${chapters}/*/chapter.cu)
  foreach(file IN LISTS registered)
    get_filename_component(folder ${file} DIRECTORY)
    list(APPEND patterns ${folder}/*.cu ${folder}/*.cuh ${folder}/*.hpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  set(prelude "")
  foreach(path IN LISTS sources)
    file(STRINGS ${path} lines REGEX "^#include <")
    list(APPEND prelude ${lines})
  endforeach()
  list(SORT prelude)
  list(REMOVE_DUPLICATES prelude)
  list(JOIN prelude "\n" prelude)
  set(header ${CMAKE_BINARY_DIR}/mutants/prelude.hpp)
  file(CONFIGURE OUTPUT ${header} CONTENT "#pragma once\n${prelude}\n" @ONLY)
  add_library(mutants_prelude OBJECT EXCLUDE_FROM_ALL ${HOUSE_COMMON}/test/skip_never.cpp)
  target_link_libraries(mutants_prelude PUBLIC contract_support_cpu)
  target_compile_options(mutants_prelude PRIVATE ${MUTANTS_OPTIONS})
  target_precompile_headers(mutants_prelude PRIVATE ${header})
endfunction()

# mutants_program(target source...): a program that tries the copies of a chapter in `source` on the
# problems that a bug cannot hide from. Not part of `all`, but of the target `mutants`.
function(mutants_program TARGET)
  # A planted bug may leave a variable unused. -O0: compiling takes longer than running.
  set(MUTANTS_OPTIONS -w -O0)
  if(NOT TARGET mutants_main)
    add_library(mutants_main OBJECT EXCLUDE_FROM_ALL ${MUTANTS_DIR}/main.cpp)
    target_link_libraries(mutants_main PUBLIC contract_support_cpu)
    mutants_prelude()
    add_custom_target(mutants)
    include(ProcessorCount)
    ProcessorCount(cores)
    add_test(NAME build_mutants COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR}
             --config $<CONFIG> --target mutants --parallel ${cores})
    set_tests_properties(build_mutants PROPERTIES FIXTURES_SETUP mutants LABELS cpu TIMEOUT 1800
                         COST 1800 PROCESSORS ${cores})
  endif()
  add_executable(${TARGET} EXCLUDE_FROM_ALL ${ARGN} $<TARGET_OBJECTS:mutants_main>)
  target_link_libraries(${TARGET} PRIVATE contract_support_cpu)
  target_precompile_headers(${TARGET} REUSE_FROM mutants_prelude)
  target_compile_options(${TARGET} PRIVATE ${MUTANTS_OPTIONS})
  # Several copies to a source: they share what they instantiate of common/.
  set_target_properties(${TARGET} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests
                        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  add_dependencies(mutants ${TARGET})
endfunction()

# add_mutants(CHAPTER 02_smem_tiling FILE mutants.txt): from the chapter's CMakeLists.txt or a
# function called there. One ctest per mutant, `02_smem_tiling_mutant_NAME`, passes when the bug is
# caught; `02_smem_tiling_mutant_free` passes when the chapter without a bug, built alike, is found
# right by the same program. That is built by the test `build_mutants`, or before by
# `cmake --build . --target mutants`.
function(add_mutants)
  cmake_parse_arguments(PARSE_ARGV 0 M "" "CHAPTER;FILE" "")
  set(source ${CMAKE_CURRENT_SOURCE_DIR})
  set(work ${CMAKE_CURRENT_BINARY_DIR}/mutants)
  get_filename_component(file ${M_FILE} ABSOLUTE)
  file(GLOB sources CONFIGURE_DEPENDS ${source}/*.cu ${source}/*.cuh ${source}/*.hpp
       ${source}/../*.cuh ${source}/../*.hpp)
  # Configured again when the list of names changes.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  mutants_read(${file})
  set(default chapter.cu)
  if(EXISTS ${source}/mutants.cu)
    set(default mutants.cu)
  endif()

  set(program ${M_CHAPTER}_mutants)
  set(wrappers)
  set(builds)
  set(tests ${M_CHAPTER}_mutant_free)
  foreach(NAME IN LISTS MUTANTS)
    set(build ${MUTANT_${NAME}_BUILD})
    if(NOT build)
      set(build ${default})
    endif()
    list(APPEND builds ${build})
    set(SPACE ${NAME})
    set(COPY ${work}/${NAME}/planted/${build})
    set(wrapper ${work}/${NAME}.cpp)
    configure_file(${MUTANTS_DIR}/wrapper.cpp.in ${wrapper} @ONLY)
    add_custom_command(OUTPUT ${work}/${NAME}/planted.txt
      COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DMUTANTS_FILE=${file} -DNAME=${NAME}
              -DOUTPUT=${work}/${NAME} -P ${MUTANTS_DIR}/apply.cmake
      COMMAND ${CMAKE_COMMAND} -E touch ${work}/${NAME}/planted.txt
      DEPENDS ${sources} ${file} ${MUTANTS_DIR}/apply.cmake ${MUTANTS_DIR}/read.cmake
      COMMENT "Planting ${NAME} in ${M_CHAPTER}" VERBATIM)
    set_source_files_properties(${wrapper} PROPERTIES OBJECT_DEPENDS ${work}/${NAME}/planted.txt)
    list(APPEND wrappers ${wrapper} ${work}/${NAME}/planted.txt)
    add_test(NAME ${M_CHAPTER}_mutant_${NAME}
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DMUTANTS_FILE=${file}
              -DNAME=${NAME} -P ${MUTANTS_DIR}/judge.cmake)
    list(APPEND tests ${M_CHAPTER}_mutant_${NAME})
  endforeach()

  list(REMOVE_DUPLICATES builds)
  set(NAME free)
  foreach(build IN LISTS builds)
    string(MAKE_C_IDENTIFIER free_${build} SPACE)
    set(COPY ${source}/${build})
    configure_file(${MUTANTS_DIR}/wrapper.cpp.in ${work}/${SPACE}.cpp @ONLY)
    list(APPEND wrappers ${work}/${SPACE}.cpp)
    set_source_files_properties(${work}/${SPACE}.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  add_test(NAME ${M_CHAPTER}_mutant_free COMMAND ${program} free)
  mutants_program(${program} ${wrappers})
  set_tests_properties(${tests} PROPERTIES FIXTURES_REQUIRED mutants LABELS cpu TIMEOUT 300)
endfunction()
