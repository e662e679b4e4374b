# Chooses the C++ compiler for CUDA builds: nvcc_wrapper from the Kokkos that will be used.
# Included before project(), so it may only look at cache variables and the file system.

set(COPSE_DEPS_DIR ${CMAKE_CURRENT_SOURCE_DIR}/.deps CACHE PATH
    "Sources staged by cmake/install-dependencies.sh")
option(COPSE_ENABLE_CUDA "Build the CUDA backend" OFF)

if(COPSE_ENABLE_CUDA AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(COPSE_NVCC_WRAPPER nvcc_wrapper
    HINTS ${Kokkos_ROOT}/bin $ENV{Kokkos_ROOT}/bin ${COPSE_DEPS_DIR}/kokkos/bin)
  if(COPSE_NVCC_WRAPPER)
    set(CMAKE_CXX_COMPILER ${COPSE_NVCC_WRAPPER} CACHE FILEPATH "C++ compiler")
  endif()
endif()
