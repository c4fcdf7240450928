# What every folder builds with: flags, the CUDA compiler if there is one, the three packages, and the functions
# add_chapter() and ladder_test(). For the root CMakeLists.txt, or a chapter's own when it is built alone.

include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
get_filename_component(LADDER_COMMON ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)

if(NOT (CMAKE_SYSTEM_NAME STREQUAL Linux AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|aarch64"))
  message(FATAL_ERROR "This project builds on Linux, for x86-64 and aarch64.")
endif()

option(LADDER_CUDA "Build the CUDA programs when a CUDA compiler is found" ON)
set(LADDER_CUDA_ARCHS "" CACHE STRING "CUDA architectures, e.g. 80;90a; empty: this machine's GPU, or 90a")
set(LADDER_BACKENDS cpu)
set(why_not "No CUDA toolkit (12.4 or newer, with cuBLAS)")
if(LADDER_CUDA AND NOT LADDER_CUDA_ARCHS)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capability ERROR_QUIET)
  set(LADDER_CUDA_ARCHS 90a)
  if(capability MATCHES "^([0-9]+)\\.([0-9]+)" AND NOT CMAKE_MATCH_0 STREQUAL 9.0)
    set(LADDER_CUDA_ARCHS ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
    if(CMAKE_MATCH_1 LESS 8)
      set(LADDER_CUDA OFF)
      set(why_not "No CUDA programs, this GPU has compute capability ${CMAKE_MATCH_0}, 8.0 is the least")
    endif()
  endif()
endif()
if(LADDER_CUDA)
  list(TRANSFORM LADDER_CUDA_ARCHS APPEND -real OUTPUT_VARIABLE CMAKE_CUDA_ARCHITECTURES)
  include(CheckLanguage)
  # Where toolkits are installed, and where common/tools/setup.sh puts NVIDIA's wheels.
  set(ENV{PATH} $ENV{PATH}:/usr/local/cuda/bin:${LADDER_COMMON}/../.venv/cuda/bin)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(CMAKE_VERSION VERSION_LESS 3.26 AND NOT TARGET CUDA::nvToolsExt)
      add_library(CUDA::nvToolsExt INTERFACE IMPORTED) # CMake 3.25 wants it, CUDA 13 has it no more
    endif()
    find_package(CUDAToolkit 12.4)
  endif()
endif()

add_library(ladder_flags INTERFACE)
add_library(ladder::flags ALIAS ladder_flags)
target_include_directories(ladder_flags INTERFACE ${LADDER_COMMON})
target_compile_options(ladder_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-unknown-pragmas>)
if(TARGET CUDA::cublas AND TARGET CUDA::cublasLt)
  set(LADDER_HAS_CUDA TRUE)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20) # CMake 3.25 does not know that nvcc 12 has it
  # For the host's code, which here does little but launch kernels: those get ptxas' own -O3. (nvcc puts an -O
  # of its own behind what a source file's -Xcompiler says.)
  string(REPLACE -O3 -Xcompiler=-O1 CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
  list(APPEND LADDER_BACKENDS cuda)
  message(NOTICE "CUDA ${CUDAToolkit_VERSION} for ${LADDER_CUDA_ARCHS}: building both backends")
  # What code compiled for the CUDA backend sees. --expt-relaxed-constexpr: constexpr functions of
  # common/ work in device code without a second spelling.
  set(script ${LADDER_COMMON}/tools/wgmma_instructions.sh)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  foreach(header IN ITEMS wgmma wgmma_others)
    execute_process(COMMAND ${script} ${header} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/gpu/${header}_instructions.hpp CONTENT "${text}" @ONLY)
  endforeach()
  add_library(gpu_cuda INTERFACE)
  target_include_directories(gpu_cuda INTERFACE ${LADDER_COMMON}/cuda ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(gpu_cuda INTERFACE ladder::flags CUDA::cudart_static)
  target_compile_options(gpu_cuda INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -lineinfo -Xcompiler=-Wall>)
else()
  message(NOTICE "${why_not}: building the CPU backend alone")
endif()

# ladder_script_test(name labels seconds command...): a ctest. Labels are `host`, `cpu` and `gpu`, and what
# may take long starts first. Exit status 77: skipped, with the reason.
function(ladder_script_test NAME LABELS SECONDS)
  add_test(NAME ${NAME} COMMAND ${ARGN})
  set_tests_properties(${NAME} PROPERTIES LABELS "${LABELS}" TIMEOUT ${SECONDS} COST ${SECONDS}
                       SKIP_RETURN_CODE 77)
  list(FILTER LABELS INCLUDE REGEX gpu)
  set_tests_properties(${NAME} PROPERTIES RESOURCE_LOCK "${LABELS}")
endfunction()

# ladder_test(NAME name SOURCES file... [LIBRARIES target...] [LABELS label...] [LEVEL O1])
# A Catch2 program and the ctest of the same name. Compiling takes longer than running, so without
# optimization, except where the test itself computes a lot (LEVEL O1).
function(ladder_test)
  cmake_parse_arguments(PARSE_ARGV 0 T "" "NAME;LEVEL" "SOURCES;LIBRARIES;LABELS")
  set(command ${T_NAME})
  if(gpu IN_LIST T_LABELS)
    set(device gpu_cuda)
    set(command sh -c "[ -x \"$0\" ] && exec \"$0\" || echo skipped: only make build compiles it && exit 77"
        $<TARGET_FILE:${T_NAME}>)
  endif()
  set(main ladder_test_main${device})
  if(NOT TARGET ${main})
    add_library(${main} OBJECT ${LADDER_COMMON}/test/main.cpp)
    target_link_libraries(${main} PUBLIC ${device} ladder::flags Catch2::Catch2)
    target_compile_options(${main} PRIVATE -O0)
  endif()
  add_executable(${T_NAME} ${T_SOURCES} $<TARGET_OBJECTS:${main}>)
  target_link_libraries(${T_NAME} PRIVATE ${T_LIBRARIES} ${device} ladder::flags Catch2::Catch2)
  target_compile_options(${T_NAME} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-$<IF:$<BOOL:${T_LEVEL}>,${T_LEVEL},O0>>)
  set_target_properties(${T_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  ladder_script_test(${T_NAME} "${T_LABELS}" 600 ${command})
endfunction()

# The target of what `all` leaves out and `make build` builds, too.
add_custom_target(slow_cuda)

# ladder_program(name backend chapter...): bin/NAME_BACKEND, for CUDA bin/NAME, out of chapters' objects and the
# harness: the target that it sets `program` to.
function(ladder_program NAME BACKEND)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1_${BACKEND}_objects>" OUTPUT_VARIABLE objects)
  string(REGEX REPLACE _cuda$ "" program ${NAME}_${BACKEND})
  add_executable(${program} ${LADDER_COMMON}/harness/main.cpp ${objects})
  string(REPLACE traced "cpu;cpu_tracing" libraries harness_${BACKEND})
  target_link_libraries(${program} PRIVATE ${libraries})
  set(program ${program} PARENT_SCOPE)
endfunction()

# add_chapter(NN_name [ARCHS 80 90a] [CPU_LEVEL O3]): from the folder's chapter.cu and test.cpp
#   bin/NN_name          the CUDA program, where there is a CUDA compiler
#   bin/NN_name_cpu      the same kernel on the CPU backend
#   bin/NN_name_traced   the CPU backend compiled so that every load and store is seen (--counters)
#   tests                the contract tests and the folder's test.cpp, planted bugs, the compile gate for ARCHS
# CPU_LEVEL: how the CPU programs are optimized. ASIDE: a program of its own that `bench` does not hold, without
# a traced program, unless TRACED. SLOW_CUDA source: what is built for CUDA takes minutes to compile; `all`
# leaves it out, and of its compile gates only that of the source compiles what has not been built.
# SOURCES: more files than chapter.cu; CUDA_SOURCES and CPU_SOURCES: of one backend's programs. CPU programs
# compile .cpp files that include the sources: a LANGUAGE property of a .cu would hold for all of the folder.
function(add_chapter NAME)
  cmake_parse_arguments(PARSE_ARGV 1 C "ASIDE;TRACED" "CPU_LEVEL;SLOW_CUDA"
                        "ARCHS;SOURCES;CUDA_SOURCES;CPU_SOURCES")
  if(NOT C_ARCHS)
    set(C_ARCHS 80 90a) # sm_86 and sm_89 have the instructions and registers of sm_80
  endif()
  foreach(source IN ITEMS chapter.cu LISTS C_SOURCES C_CPU_SOURCES)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${NAME}_${source}_cpu.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n" @ONLY)
    list(APPEND cpu_sources ${wrapper})
  endforeach()
  set(traced_sources ${cpu_sources})
  set(cuda_sources chapter.cu ${C_SOURCES} ${C_CUDA_SOURCES})
  set(cpu_options -$<IF:$<BOOL:${C_CPU_LEVEL}>,${C_CPU_LEVEL},O1>)
  # Vectorised, neighbouring accesses of one thread would merge into one.
  set(traced_options ${cpu_options} -fsanitize=thread -fno-tree-vectorize)
  # What ptxas says of each kernel is kept beside the object: the compile gate need not compile again.
  set(cuda_options $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-v>)
  set(backends ${LADDER_BACKENDS} traced)
  if(C_ASIDE AND NOT C_TRACED)
    list(REMOVE_ITEM backends traced)
  endif()
  add_custom_target(${NAME}_programs)
  foreach(backend IN LISTS backends)
    set(objects ${NAME}_${backend}_objects)
    add_library(${objects} OBJECT ${${backend}_sources})
    target_link_libraries(${objects} PUBLIC gemm_problem
                          $<IF:$<STREQUAL:${backend},cuda>,gpu_cuda,cpu_runtime>)
    target_compile_options(${objects} PRIVATE ${${backend}_options})
    ladder_program(${NAME} ${backend} ${NAME})
    add_dependencies(${NAME}_programs ${program})
  endforeach()
  add_chapter_tests(${NAME})
  if(NOT LADDER_HAS_CUDA)
    return()
  endif()
  set(objects ${NAME}_cuda_objects)
  if(C_ARCHS STREQUAL 90a) # compiled for that whatever else is built for; elsewhere it refuses to run
    set_target_properties(${objects} PROPERTIES CUDA_ARCHITECTURES 90a-real)
  endif()
  set_target_properties(${objects} PROPERTIES
                        RULE_LAUNCH_COMPILE "${LADDER_COMMON}/test/keep_report.sh <OBJECT>.report")
  if(C_SLOW_CUDA)
    set_target_properties(${objects} ${NAME} ${NAME}_cuda_test PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(slow_cuda ${NAME} ${NAME}_cuda_test)
  endif()
  list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
  foreach(source IN LISTS cuda_sources)
    set(compiler ${CMAKE_CUDA_COMPILER})
    if(C_SLOW_CUDA AND NOT source STREQUAL C_SLOW_CUDA)
      set(compiler none)
    endif()
    string(REGEX REPLACE "(_chapter)?[.]cu$" _compile_gate gate _${source})
    ladder_script_test(${NAME}${gate} host 1200 ${LADDER_COMMON}/test/compile_gate.sh ${compiler}
      ${LADDER_COMMON} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
      $<FILTER:$<TARGET_OBJECTS:${objects}>,INCLUDE,/${source}>.report ${C_ARCHS})
  endforeach()
endfunction()

# Packages: the system's where installed, fetched otherwise. LADDER_LIBRARY_ALONE, set before: every_shape's
# libraries, which need none, and nothing else.
find_package(Threads REQUIRED)
if(NOT LADDER_LIBRARY_ALONE)
  include(FetchContent)
  set(github https://github.com)
  FetchContent_Declare(CLI11 URL ${github}/CLIUtils/CLI11/archive/v2.4.2.tar.gz FIND_PACKAGE_ARGS)
  FetchContent_Declare(nlohmann_json URL ${github}/nlohmann/json/archive/v3.11.3.tar.gz FIND_PACKAGE_ARGS)
  FetchContent_Declare(Catch2 URL ${github}/catchorg/Catch2/archive/v3.7.1.tar.gz FIND_PACKAGE_ARGS)
  FetchContent_MakeAvailable(CLI11 nlohmann_json Catch2)
  enable_testing()
  add_subdirectory(${LADDER_COMMON} ${CMAKE_BINARY_DIR}/common)
endif()
