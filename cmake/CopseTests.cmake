# copse_add_tests(<area> SOURCES <test_*.cpp> [LABELS unit|verify|cli|gpu ...] [RANKS 1 2 3 4])
# builds bin/test_<area> from the files and registers one ctest entry per file: <area>/<file>. With
# RANKS the entry runs under mpirun once per rank count and is labelled mpi. Without RANKS it is one
# plain process that counts as one job of ctest, because short programs mostly wait for their start
# and end. A file that skips every test case (no COPSE_DATA_DIR, for example) is reported as skipped.

include(CopseTestEnvironment)

add_library(copse_test_main STATIC ${CMAKE_CURRENT_SOURCE_DIR}/support/main.cpp)
target_link_libraries(copse_test_main PUBLIC copse::common Catch2::Catch2 hdf5::hdf5 copse_warnings)
target_include_directories(copse_test_main PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/support)

# copse_compile_as_test(<target>): lower optimisation halves the compile time; the fully optimised
# code is tested through the programs. Host compilers start from one precompiled header, which has to
# be compiled with the same options: that of libraries and of programs differs (-fPIC, -fPIE).
function(copse_compile_as_test target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  # With -O1, GCC 12 warns of variables that its AVX-512 header leaves undefined on purpose.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
  if(COPSE_ENABLE_CUDA)
    return()
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  if(target STREQUAL copse_test_main)
    target_precompile_headers(${target} PRIVATE <Kokkos_Core.hpp> <fmt/format.h>
      <catch2/catch_test_macros.hpp> <catch2/matchers/catch_matchers_floating_point.hpp>
      <algorithm> <string> <vector>)
  else()
    target_precompile_headers(${target} REUSE_FROM copse_test_main)
  endif()
endfunction()

copse_compile_as_test(copse_test_main)

function(copse_add_tests area)
  cmake_parse_arguments(ARG "" "" "SOURCES;LABELS;RANKS" ${ARGN})
  set(target test_${area})
  if(NOT TARGET ${target})
    add_executable(${target})
    target_link_libraries(${target} PRIVATE copse_test_main)
    copse_compile_as_test(${target})
    set_property(GLOBAL APPEND PROPERTY COPSE_TEST_PROGRAMS ${target})
  endif()
  target_sources(${target} PRIVATE ${ARG_SOURCES})
  set(names "")
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(file ${source} NAME_WE)
    set(command $<TARGET_FILE:${target}> -\# "[#${file}]")
    if(ARG_RANKS)
      foreach(ranks IN LISTS ARG_RANKS)
        set(name ${area}/${file}.${ranks})
        add_test(NAME ${name} COMMAND
          ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} ${command})
        set_tests_properties(${name} PROPERTIES LABELS "mpi;${ARG_LABELS}" PROCESSORS ${ranks})
        # Threads of three and more ranks wait for cores, and ranks for them: four ranks of two
        # threads took four times the CPU seconds of four with one.
        if(ranks GREATER 2)
          set_tests_properties(${name} PROPERTIES ENVIRONMENT_MODIFICATION OMP_NUM_THREADS=set:1)
        endif()
        list(APPEND names ${name})
      endforeach()
    else()
      set(name ${area}/${file})
      add_test(NAME ${name} COMMAND ${command})
      set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
      list(APPEND names ${name})
    endif()
  endforeach()
  set_tests_properties(${names} PROPERTIES
    ENVIRONMENT "${copse_test_environment}" SKIP_RETURN_CODE 4 TIMEOUT ${copse_test_seconds})
endfunction()
