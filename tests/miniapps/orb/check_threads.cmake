# cmake -DORB=<program> -DFOLDER=<scratch> -P check_threads.cmake
# Tree and order must be bitwise equal on one thread of Serial and on 1, 2 and 4 threads of OpenMP.
# Oracle: the checksum reported by Serial, which does not depend on thread scheduling.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

function(orb_checksum result backend threads)
  execute_process(
    COMMAND ${ORB} --generate nfw --particles 200000 --leaves 77 --repeat 1 --quiet
      --backend ${backend} --kokkos-num-threads=${threads} --json ${FOLDER}/run.json
    RESULT_VARIABLE code ERROR_VARIABLE err OUTPUT_QUIET)
  if(NOT code STREQUAL "0")
    message(FATAL_ERROR "orb on ${backend} with ${threads} threads ended with ${code}: ${err}")
  endif()
  file(READ ${FOLDER}/run.json report)
  string(JSON used GET "${report}" run threads)
  if(backend STREQUAL "openmp" AND NOT used EQUAL ${threads})
    message(FATAL_ERROR "The run used ${used} threads, not ${threads}")
  endif()
  string(JSON checksum GET "${report}" results checksum)
  set(${result} ${checksum} PARENT_SCOPE)
endfunction()

orb_checksum(expected serial 1)
foreach(threads 1 2 4)
  orb_checksum(found openmp ${threads})
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${threads} threads gave ${found}, Serial gave ${expected}")
  endif()
endforeach()
