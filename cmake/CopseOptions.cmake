# All user options, in one place.

option(COPSE_ENABLE_SERIAL "Build the Serial backend" ON)
option(COPSE_ENABLE_OPENMP "Build the OpenMP backend" ON)
option(COPSE_ENABLE_TESTS "Build the tests" ON)
option(COPSE_ENABLE_FUZZERS "Build the libFuzzer targets of the readers and nothing else (needs clang)" OFF)
# The environment variable of the same name gives the default, so that a workflow preset, which
# takes no options, can be run with warnings as errors and with the peers.
option(COPSE_WARNINGS_AS_ERRORS "Treat compiler warnings in Copse as errors"
  "$ENV{COPSE_WARNINGS_AS_ERRORS}")
option(COPSE_ENABLE_PEERS "Build comparison programs that use other libraries (perf/peers)"
  "$ENV{COPSE_ENABLE_PEERS}")
set(COPSE_MERGE_SOURCES 8 CACHE STRING
  "Most sources of one library that are compiled together; 0: each by itself")
set(COPSE_REAL float CACHE STRING "Floating-point type of particle data: float or double")
set_property(CACHE COPSE_REAL PROPERTY STRINGS float double)
set(COPSE_DIMENSIONS "2;3;7" CACHE STRING
  "Dimensions of the points that trees are built for: a list of distinct numbers from 1 to 8")
set(COPSE_CUDA_ARCH 90 CACHE STRING "CUDA compute capability without the dot, e.g. 90 for Hopper")
set(COPSE_CPU_ARCH native CACHE STRING
  "Value of -march for host code and for a Kokkos built with it; empty for the compiler's default")
set(COPSE_GPU_AWARE_MPI auto CACHE STRING "How device memory reaches other ranks: auto, on, peers or off")
set_property(CACHE COPSE_GPU_AWARE_MPI PROPERTY STRINGS auto on peers off)
set(COPSE_ENABLE_CGAL auto CACHE STRING
  "The method of miniapps/fof that needs CGAL and Boost.Graph, if they are found: auto, on or off")
set_property(CACHE COPSE_ENABLE_CGAL PROPERTY STRINGS auto on off)
set(COPSE_SANITIZER "" CACHE STRING
  "Sanitizer of this build: empty, address (with undefined behaviour) or thread")
set_property(CACHE COPSE_SANITIZER PROPERTY STRINGS "" address thread)

if(NOT COPSE_REAL MATCHES "^(float|double)$")
  message(FATAL_ERROR "COPSE_REAL must be float or double, not '${COPSE_REAL}'.")
endif()
set(copse_different_dimensions ${COPSE_DIMENSIONS})
list(REMOVE_DUPLICATES copse_different_dimensions)
if(NOT "${COPSE_DIMENSIONS}" MATCHES "^[1-8](;[1-8])*$"
    OR NOT "${copse_different_dimensions}" STREQUAL "${COPSE_DIMENSIONS}")
  message(FATAL_ERROR "COPSE_DIMENSIONS must be a list of different numbers from 1 to 8, such as "
    "\"2;3;7\", not '${COPSE_DIMENSIONS}'.")
endif()
if(NOT COPSE_MERGE_SOURCES MATCHES "^[0-9]+$")
  message(FATAL_ERROR "COPSE_MERGE_SOURCES must be a number of files, not '${COPSE_MERGE_SOURCES}'.")
endif()
if(NOT COPSE_GPU_AWARE_MPI MATCHES "^(auto|on|peers|off)$")
  message(FATAL_ERROR "COPSE_GPU_AWARE_MPI must be auto, on, peers or off, not '${COPSE_GPU_AWARE_MPI}'.")
endif()
if(NOT COPSE_ENABLE_CGAL MATCHES "^(auto|on|off)$")
  message(FATAL_ERROR "COPSE_ENABLE_CGAL must be auto, on or off, not '${COPSE_ENABLE_CGAL}'.")
endif()
if(COPSE_ENABLE_CGAL STREQUAL "on" AND COPSE_ENABLE_CUDA)
  message(FATAL_ERROR "COPSE_ENABLE_CGAL=on is for host builds: nvcc cannot compile CGAL.")
endif()
if(NOT COPSE_SANITIZER MATCHES "^(|address|thread)$")
  message(FATAL_ERROR "COPSE_SANITIZER must be empty, address or thread, not '${COPSE_SANITIZER}'.")
endif()
if(COPSE_SANITIZER AND COPSE_ENABLE_CUDA)
  message(FATAL_ERROR "COPSE_SANITIZER=${COPSE_SANITIZER} is for host builds; on the device use "
    "compute-sanitizer.")
endif()
if(COPSE_SANITIZER STREQUAL "thread" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "COPSE_SANITIZER=thread needs clang, because the thread sanitizer does not "
    "understand the OpenMP runtime of other compilers.")
endif()
if(COPSE_ENABLE_FUZZERS AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "COPSE_ENABLE_FUZZERS needs clang, which brings libFuzzer.")
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# For the whole build, so that dependencies built from source are also instrumented.
if(COPSE_SANITIZER STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(COPSE_SANITIZER STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
# Coverage of the readers guides the fuzzers; only they are linked with libFuzzer.
if(COPSE_ENABLE_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
