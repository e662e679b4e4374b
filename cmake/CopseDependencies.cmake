# Finds every dependency: an installed package first, then sources staged under .deps/ by
# cmake/install-dependencies.sh, then a download of the pinned upstream release.

include(FetchContent)
set(copse_dependency_report "")

macro(copse_report name where)
  string(APPEND copse_dependency_report "\n  ${name}: ${where}")
endmacro()

# copse_dependency(NAME <name> PACKAGE <package> [VERSION <v>] [TARGET <t>] URL <u> SHA256 <h>)
# makes <package> available, from the first of the three places that has it.
function(copse_dependency)
  cmake_parse_arguments(ARG "" "NAME;PACKAGE;VERSION;URL;SHA256" "" ${ARGN})
  string(TOLOWER ${ARG_NAME} dir)
  find_package(${ARG_PACKAGE} ${ARG_VERSION} QUIET CONFIG)
  if(${ARG_PACKAGE}_FOUND)
    copse_report(${ARG_NAME} "${${ARG_PACKAGE}_VERSION} from ${${ARG_PACKAGE}_DIR}")
  elseif(EXISTS ${COPSE_DEPS_DIR}/${dir}/CMakeLists.txt)
    FetchContent_Declare(${ARG_NAME} SOURCE_DIR ${COPSE_DEPS_DIR}/${dir})
    FetchContent_MakeAvailable(${ARG_NAME})
    copse_report(${ARG_NAME} "sources in ${COPSE_DEPS_DIR}/${dir}")
  else()
    FetchContent_Declare(${ARG_NAME} URL ${ARG_URL} URL_HASH SHA256=${ARG_SHA256})
    FetchContent_MakeAvailable(${ARG_NAME})
    copse_report(${ARG_NAME} "downloaded from ${ARG_URL}")
  endif()
  set(copse_dependency_report "${copse_dependency_report}" PARENT_SCOPE)
  set(${ARG_PACKAGE}_FOUND "${${ARG_PACKAGE}_FOUND}" PARENT_SCOPE)
endfunction()

# Kokkos, when built from source, gets the backends this build asks for.
set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "")
set(Kokkos_ENABLE_OPENMP ${COPSE_ENABLE_OPENMP} CACHE BOOL "")
set(Kokkos_ENABLE_CUDA ${COPSE_ENABLE_CUDA} CACHE BOOL "")
if(COPSE_ENABLE_CUDA)
  set(copse_arch_90 HOPPER90)
  set(copse_arch_80 AMPERE80)
  set(copse_arch_86 AMPERE86)
  set(copse_arch_89 ADA89)
  set(copse_arch_70 VOLTA70)
  set(copse_arch_75 TURING75)
  set(copse_arch_100 BLACKWELL100)
  set(copse_arch_120 BLACKWELL120)
  if(NOT DEFINED copse_arch_${COPSE_CUDA_ARCH})
    message(FATAL_ERROR "COPSE_CUDA_ARCH=${COPSE_CUDA_ARCH} is not one of 70, 75, 80, 86, 89, 90, 100, 120.")
  endif()
  set(Kokkos_ARCH_${copse_arch_${COPSE_CUDA_ARCH}} ON CACHE BOOL "")
endif()
copse_dependency(NAME Kokkos PACKAGE Kokkos VERSION 5.0
  URL https://github.com/kokkos/kokkos/releases/download/5.0.2/kokkos-5.0.2.tar.gz
  SHA256 188817bb452ca805ee8701f1c5adbbb4fb83dc8d1c50624566a18a719ba0fa5e)
foreach(backend OPENMP CUDA)
  if(COPSE_ENABLE_${backend} AND NOT Kokkos_ENABLE_${backend} AND NOT ${backend} IN_LIST Kokkos_DEVICES)
    message(FATAL_ERROR
      "The Kokkos in ${Kokkos_DIR} was built without ${backend}, which COPSE_ENABLE_${backend} asks for.")
  endif()
endforeach()

find_package(MPI REQUIRED COMPONENTS C)
copse_report(MPI "${MPI_C_VERSION} from ${MPI_C_LIBRARIES}")
find_package(HDF5 REQUIRED COMPONENTS C)
copse_report(HDF5 "${HDF5_VERSION} from ${HDF5_C_LIBRARIES}")

copse_dependency(NAME CLI11 PACKAGE CLI11 VERSION 2.1
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz SHA256 0)
copse_dependency(NAME nlohmann_json PACKAGE nlohmann_json VERSION 3.10
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz SHA256 0)
copse_dependency(NAME fmt PACKAGE fmt VERSION 9.0
  URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz SHA256 0)
if(COPSE_ENABLE_TESTS)
  copse_dependency(NAME Catch2 PACKAGE Catch2 VERSION 3.4
    URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
    SHA256 c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c)
endif()

message(STATUS "Copse dependencies:${copse_dependency_report}")
