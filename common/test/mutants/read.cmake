# Reads a file of planted bugs. The format:
#
#   # Comments and empty lines, anywhere but inside a text.
#   mutant lost_barrier
#   why the slice is read before it is complete
#   expect WRONG|deadlock
#   file kernel.cuh
#   -----
#       __syncthreads();  // the slice is complete
#   +++++
#       // nobody waits
#   =====
#
# mutant   a name in snake_case, unique in the file
# why      optional, one line for the reader
# expect   a CMake regular expression that the failing program's output must match
# file     optional: which file of the chapter's folder, kernel.cuh when left out
# build    optional: which file of the folder registers the kernels that the bug is shown in. When left
#          out: mutants.cu, or chapter.cu where there is none
# Between ----- and +++++ stands the old text, between +++++ and ===== the new one: whole lines or a
# part of one, taken as they are, without the last line's end. The old text must occur exactly once.

# mutants_read(path): sets in the caller's scope MUTANTS (the names) and, for every name,
# MUTANT_<name>_EXPECT, _FILE, _BUILD, _OLD and _NEW. Ends with an error at the line that breaks the format.
function(mutants_read path)
  file(READ "${path}" rest)
  set(names)
  set(place header) # header, old or new: where the current line stands
  set(name "")
  set(number 0)
  while(NOT rest STREQUAL "")
    string(FIND "${rest}" "\n" end)
    if(end EQUAL -1)
      set(line "${rest}")
      set(rest "")
    else()
      string(SUBSTRING "${rest}" 0 ${end} line)
      math(EXPR end "${end} + 1")
      string(SUBSTRING "${rest}" ${end} -1 rest)
    endif()
    math(EXPR number "${number} + 1")
    set(here "${path}:${number}")

    if(place STREQUAL "old" AND line STREQUAL "+++++")
      set(place new)
    elseif(place STREQUAL "new" AND line STREQUAL "=====")
      foreach(text old new)
        string(REGEX REPLACE "\n$" "" ${text} "${${text}}")
      endforeach()
      if(expect STREQUAL "")
        message(FATAL_ERROR "${here}: mutant ${name} has no expect line")
      elseif(old STREQUAL "")
        message(FATAL_ERROR "${here}: mutant ${name} has no old text")
      elseif(old STREQUAL new)
        message(FATAL_ERROR "${here}: mutant ${name} changes nothing")
      endif()
      list(APPEND names ${name})
      set(MUTANT_${name}_EXPECT "${expect}" PARENT_SCOPE)
      set(MUTANT_${name}_FILE "${file}" PARENT_SCOPE)
      set(MUTANT_${name}_BUILD "${build}" PARENT_SCOPE)
      set(MUTANT_${name}_OLD "${old}" PARENT_SCOPE)
      set(MUTANT_${name}_NEW "${new}" PARENT_SCOPE)
      set(name "")
      set(place header)
    elseif(NOT place STREQUAL "header")
      string(APPEND ${place} "${line}\n")
    elseif(line STREQUAL "" OR line MATCHES "^#")
    elseif(line MATCHES "^mutant ([a-z0-9_]+)$")
      if(NOT name STREQUAL "")
        message(FATAL_ERROR "${here}: mutant ${name} has no texts")
      endif()
      set(name ${CMAKE_MATCH_1})
      if(name IN_LIST names)
        message(FATAL_ERROR "${here}: a second mutant ${name}")
      endif()
      set(expect "")
      set(file kernel.cuh)
      set(build "")
      set(old "")
      set(new "")
    elseif(name STREQUAL "")
      message(FATAL_ERROR "${here}: expected 'mutant NAME', found '${line}'")
    elseif(line MATCHES "^expect (.+)$")
      set(expect "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^file ([A-Za-z0-9_.]+)$")
      set(file "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^build ([A-Za-z0-9_.]+)$")
      set(build "${CMAKE_MATCH_1}")
    elseif(line STREQUAL "-----")
      set(place old)
    elseif(NOT line MATCHES "^why .")
      message(FATAL_ERROR "${here}: not a line of a mutant: '${line}'")
    endif()
  endwhile()
  if(NOT name STREQUAL "")
    message(FATAL_ERROR "${path}: the last mutant, ${name}, does not end")
  endif()
  set(MUTANTS "${names}" PARENT_SCOPE)
endfunction()
