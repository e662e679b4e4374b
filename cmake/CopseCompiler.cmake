# Chooses the C++ compiler for CUDA builds: nvcc_wrapper from the Kokkos that will be used.
# Included before project(), so it may only look at cache variables and the file system.

include(${CMAKE_CURRENT_LIST_DIR}/CopsePinned.cmake)
set(COPSE_DEPS_DIR ${CMAKE_CURRENT_SOURCE_DIR}/.deps CACHE PATH
  "Sources staged by cmake/install-dependencies.sh")
option(COPSE_ENABLE_CUDA "Build the CUDA backend" OFF)

if(COPSE_ENABLE_CUDA)
  find_program(COPSE_NVCC nvcc)
  if(NOT COPSE_NVCC)
    unset(COPSE_NVCC CACHE)
    message(FATAL_ERROR "The CUDA backend (COPSE_ENABLE_CUDA) needs nvcc from the CUDA Toolkit 12.4 "
      "or newer, and there is none on the PATH.")
  endif()
endif()

if(COPSE_ENABLE_CUDA AND NOT CMAKE_CXX_COMPILER AND "$ENV{CXX}" STREQUAL "")
  find_program(COPSE_NVCC_WRAPPER nvcc_wrapper
    HINTS ${Kokkos_ROOT} $ENV{Kokkos_ROOT} ${Kokkos_DIR}/../../.. ${CMAKE_PREFIX_PATH}
          ${COPSE_DEPS_DIR}/kokkos
    PATH_SUFFIXES bin)
  if(NOT COPSE_NVCC_WRAPPER)
    # Neither installed nor staged: download the sources now for their compiler wrapper.
    # CopseDependencies.cmake finds them again under COPSE_DEPS_DIR.
    unset(COPSE_NVCC_WRAPPER CACHE)
    set(COPSE_DEPS_DIR ${CMAKE_BINARY_DIR}/deps CACHE PATH
      "Sources fetched for their compiler wrapper" FORCE)
    message(STATUS "Downloading Kokkos from ${COPSE_Kokkos_URL}")
    file(DOWNLOAD ${COPSE_Kokkos_URL} ${COPSE_DEPS_DIR}/kokkos.tar.gz STATUS copse_status)
    file(SHA256 ${COPSE_DEPS_DIR}/kokkos.tar.gz copse_sha256)
    if(NOT copse_sha256 STREQUAL COPSE_Kokkos_SHA256)
      message(FATAL_ERROR "The CUDA backend needs Kokkos' nvcc_wrapper: none is on the PATH or under "
        "Kokkos_ROOT, and ${COPSE_Kokkos_URL} could not be downloaded intact (${copse_status}).")
    endif()
    file(ARCHIVE_EXTRACT INPUT ${COPSE_DEPS_DIR}/kokkos.tar.gz DESTINATION ${COPSE_DEPS_DIR})
    file(GLOB copse_extracted ${COPSE_DEPS_DIR}/kokkos-*)
    file(RENAME ${copse_extracted} ${COPSE_DEPS_DIR}/kokkos)
    find_program(COPSE_NVCC_WRAPPER nvcc_wrapper HINTS ${COPSE_DEPS_DIR}/kokkos/bin REQUIRED)
  endif()
  set(CMAKE_CXX_COMPILER ${COPSE_NVCC_WRAPPER} CACHE FILEPATH "C++ compiler")
endif()
