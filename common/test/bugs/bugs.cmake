# Planted bugs: each bugs/NAME.patch of a folder makes one mistake in a copy of it. Above the diff it says
# what the mistake is; `Expect: REGEX` is what the CPU backend or the verifier must say of it, and
# `Kernels: FILE.cu` names what launches the kernels where that is not bugs/bugs.cu. Such a file declares
# `chapter`, a harness::Chapter, and is compiled inside of a namespace, as the whole copy is.

set(BUGS_DIR ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")

# bugs_main(): the programs' main(), and precompiled once for all of them what copies include of other
# folders, which must not happen inside of a namespace any more.
function(bugs_main)
  set(folder ${LADDER_COMMON}/../[0-9][0-9]_*)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cu ${folder}/*.cuh ${folder}/*.hpp ${folder}/*/*.cu
       ${folder}/*/*.cuh ${folder}/*/*.hpp ${folder}/*/bugs/*.cu)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  set(prelude "")
  foreach(path IN LISTS sources)
    file(STRINGS ${path} lines REGEX "^#include <")
    list(APPEND prelude ${lines})
  endforeach()
  list(SORT prelude)
  list(REMOVE_DUPLICATES prelude)
  list(JOIN prelude "\n" prelude)
  set(header ${CMAKE_BINARY_DIR}/bugs/prelude.hpp)
  file(CONFIGURE OUTPUT ${header} CONTENT "#pragma once\n${prelude}\n" @ONLY)
  add_library(bugs_main OBJECT EXCLUDE_FROM_ALL ${BUGS_DIR}/main.cpp)
  target_link_libraries(bugs_main PUBLIC contract_support_cpu)
  # A planted bug may leave a variable unused. -O0: compiling takes longer than running.
  target_compile_options(bugs_main PUBLIC -w -O0)
  target_precompile_headers(bugs_main PRIVATE ${header})
  add_custom_target(bugs)
  include(ProcessorCount)
  ProcessorCount(cores)
  add_test(NAME build_bugs COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --config $<CONFIG>
           --target bugs --parallel ${cores})
  set_tests_properties(build_bugs PROPERTIES FIXTURES_SETUP bugs LABELS cpu TIMEOUT 1800 COST 1800
                       PROCESSORS ${cores})
endfunction()

# add_bugs(02_smem_tiling): in the chapter's folder. The program 02_smem_tiling_bugs holds every copy; the
# ctest 02_smem_tiling_bug_NAME passes when that one is caught, and 02_smem_tiling_bugs_free when the
# kernels without a bug, built alike, are found right. What they need is built by the test `build_bugs`, or
# before by `cmake --build . --target bugs`.
function(add_bugs CHAPTER)
  set(source ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB patches CONFIGURE_DEPENDS ${source}/bugs/*.patch)
  file(GLOB launchers CONFIGURE_DEPENDS ${source}/bugs/*.cu)
  if(NOT patches)
    return()
  elseif(NOT TARGET bugs)
    bugs_main()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patches})
  file(GLOB sources CONFIGURE_DEPENDS ${source}/*.cu ${source}/*.cuh ${source}/*.hpp ${source}/../*.cuh
       ${source}/../*.hpp)
  set(work ${CMAKE_CURRENT_BINARY_DIR}/bugs)
  set(program ${CHAPTER}_bugs)
  set(tests ${program}_free)
  add_executable(${program} EXCLUDE_FROM_ALL)
  foreach(patch IN LISTS patches)
    get_filename_component(NAME ${patch} NAME_WE)
    file(STRINGS ${patch} header REGEX "^(Expect|Kernels): ")
    if(NOT header MATCHES "Expect: ([^;]+)")
      message(FATAL_ERROR "${patch} has no line 'Expect: REGEX'")
    endif()
    set(expect ${CMAKE_MATCH_1})
    set(launcher bugs.cu)
    if(header MATCHES "Kernels: ([a-z_]+.cu)")
      set(launcher ${CMAKE_MATCH_1})
    endif()
    set(SPACE ${NAME})
    set(COPY ${work}/${NAME}/planted/bugs/${launcher})
    set(planted ${work}/${NAME}.planted)
    configure_file(${BUGS_DIR}/wrapper.cpp.in ${work}/${NAME}.cpp @ONLY)
    add_custom_command(OUTPUT ${planted}
      COMMAND ${BUGS_DIR}/plant.sh ${patch} ${source} ${work}/${NAME}
      COMMAND ${CMAKE_COMMAND} -E touch ${planted}
      DEPENDS ${sources} ${launchers} ${patch} ${BUGS_DIR}/plant.sh
      COMMENT "Planting ${NAME} in ${CHAPTER}" VERBATIM)
    set_source_files_properties(${work}/${NAME}.cpp PROPERTIES OBJECT_DEPENDS ${planted})
    target_sources(${program} PRIVATE ${work}/${NAME}.cpp ${planted})
    add_test(NAME ${CHAPTER}_bug_${NAME} COMMAND ${program} ${NAME})
    set_tests_properties(${CHAPTER}_bug_${NAME} PROPERTIES PASS_REGULAR_EXPRESSION "${expect}")
    list(APPEND tests ${CHAPTER}_bug_${NAME})
  endforeach()
  set(NAME free)
  foreach(COPY IN LISTS launchers)
    get_filename_component(SPACE ${COPY} NAME_WE)
    string(PREPEND SPACE free_)
    configure_file(${BUGS_DIR}/wrapper.cpp.in ${work}/${SPACE}.cpp @ONLY)
    set_source_files_properties(${work}/${SPACE}.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${program} PRIVATE ${work}/${SPACE}.cpp)
  endforeach()
  add_test(NAME ${program}_free COMMAND ${program} free)
  set_tests_properties(${tests} PROPERTIES FIXTURES_REQUIRED bugs LABELS cpu TIMEOUT 300)
  target_link_libraries(${program} PRIVATE bugs_main)
  target_precompile_headers(${program} REUSE_FROM bugs_main)
  # Several copies to a source: they share what they instantiate of common/.
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests
                        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  add_dependencies(bugs ${program})
endfunction()
