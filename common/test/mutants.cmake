# Planted bugs: copies of a chapter with one error each, which the contract tests must notice. They run
# on the CPU backend. mutants/read.cmake describes the file they are written in.

include(${CMAKE_CURRENT_LIST_DIR}/mutants/read.cmake)
set(MUTANTS_DIR ${CMAKE_CURRENT_LIST_DIR}/mutants CACHE INTERNAL "")

# mutant_program(target source...): a program that tries the chapter, or a copy of it, on the
# problems that a bug cannot hide from. Not part of `all`, but of the target `mutants`.
function(mutant_program TARGET)
  if(NOT TARGET mutant_main)
    add_library(mutant_main OBJECT EXCLUDE_FROM_ALL ${MUTANTS_DIR}/main.cpp)
    target_link_libraries(mutant_main PUBLIC contract_support_cpu)
    add_custom_target(mutants)
    include(ProcessorCount)
    ProcessorCount(cores)
    add_test(NAME build_mutants COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR}
             --config $<CONFIG> --target mutants --parallel ${cores})
    set_tests_properties(build_mutants PROPERTIES FIXTURES_SETUP mutants LABELS cpu TIMEOUT 1800
                         PROCESSORS ${cores})
  endif()
  add_executable(${TARGET} EXCLUDE_FROM_ALL ${ARGN} $<TARGET_OBJECTS:mutant_main>)
  target_link_libraries(${TARGET} PRIVATE contract_support_cpu)
  # A planted bug may leave a variable unused. -O1: compiling takes longer than running.
  target_compile_options(${TARGET} PRIVATE -w -O1)
  set_target_properties(${TARGET} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/mutants)
  add_dependencies(mutants ${TARGET})
endfunction()

# add_mutants(CHAPTER 02_smem_tiling FILE mutants.txt): from the chapter's CMakeLists.txt or a
# function called there. One ctest per mutant, `02_smem_tiling_mutant_NAME`, passes when the bug is
# caught; `02_smem_tiling_mutant_free` passes when the chapter without a bug is found right by the same
# program. Built by the test `build_mutants`, or before by `cmake --build . --target mutants`.
function(add_mutants)
  cmake_parse_arguments(PARSE_ARGV 0 M "" "CHAPTER;FILE" "")
  set(source ${CMAKE_CURRENT_SOURCE_DIR})
  get_filename_component(file ${M_FILE} ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file}) # for the list of names
  mutants_read(${file})
  file(GLOB sources CONFIGURE_DEPENDS ${source}/*.cu ${source}/*.cuh ${source}/*.hpp)

  set(prefix ${M_CHAPTER}_mutant)
  mutant_program(${prefix}_free $<TARGET_OBJECTS:${M_CHAPTER}_cpu_objects>)
  add_test(NAME ${prefix}_free COMMAND ${prefix}_free)
  set(tests ${prefix}_free)
  foreach(name IN LISTS MUTANTS)
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
    set(wrapper ${copy}/chapter.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${copy}/chapter.cu\"\n" @ONLY)
    add_custom_command(OUTPUT ${copy}/planted.txt
      COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DMUTANTS_FILE=${file} -DNAME=${name}
              -DOUTPUT=${copy} -P ${MUTANTS_DIR}/apply.cmake
      COMMAND ${CMAKE_COMMAND} -E touch ${copy}/planted.txt
      DEPENDS ${sources} ${file} ${MUTANTS_DIR}/apply.cmake ${MUTANTS_DIR}/read.cmake
      COMMENT "Planting ${name} in ${M_CHAPTER}" VERBATIM)
    set_source_files_properties(${wrapper} PROPERTIES OBJECT_DEPENDS ${copy}/planted.txt)
    mutant_program(${prefix}_${name} ${wrapper} ${copy}/planted.txt)
    add_test(NAME ${prefix}_${name}
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${prefix}_${name}> -DMUTANTS_FILE=${file}
              -DNAME=${name} -P ${MUTANTS_DIR}/judge.cmake)
    list(APPEND tests ${prefix}_${name})
  endforeach()
  set_tests_properties(${tests} PROPERTIES FIXTURES_REQUIRED mutants LABELS cpu TIMEOUT 300)
endfunction()
