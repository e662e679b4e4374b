# Finds every dependency: an installed package first, then sources staged under .deps/ by
# cmake/install-dependencies.sh, then a download of the pinned upstream release (CopsePinned.cmake).

include(FetchContent)
set(copse_dependency_report "")

macro(copse_report name where)
  string(APPEND copse_dependency_report "\n  ${name}: ${where}")
endmacro()

# copse_dependency(<package> <version> <target>...) provides <package>, at least <version>, from the
# first of the three sources that has it. When it is built from source, the headers of the targets
# are system headers, so their warnings are not reported; and eight sources are compiled as one,
# because most of the compile time goes into shared headers. Packages found later that ask for it get this
# one. It is a macro because a package's variables must be set in the caller's scope.
macro(copse_dependency package version)
  string(TOLOWER ${package} copse_folder)
  find_package(${package} ${version} QUIET CONFIG)
  if(${package}_FOUND)
    copse_report(${package} "${${package}_VERSION}, installed in ${${package}_DIR}")
  elseif(EXISTS ${COPSE_DEPS_DIR}/${copse_folder}/CMakeLists.txt)
    copse_report(${package} "sources in ${COPSE_DEPS_DIR}/${copse_folder}")
    FetchContent_Declare(${package} SOURCE_DIR ${COPSE_DEPS_DIR}/${copse_folder} OVERRIDE_FIND_PACKAGE)
    FetchContent_MakeAvailable(${package})
  else()
    message(STATUS "Downloading ${package} from ${COPSE_${package}_URL}")
    copse_report(${package} "downloaded from ${COPSE_${package}_URL}")
    FetchContent_Declare(${package} URL ${COPSE_${package}_URL}
      URL_HASH SHA256=${COPSE_${package}_SHA256} DOWNLOAD_EXTRACT_TIMESTAMP ON
      OVERRIDE_FIND_PACKAGE)
    FetchContent_MakeAvailable(${package})
  endif()
  if(NOT ${package}_FOUND)
    set_target_properties(${ARGN} PROPERTIES SYSTEM ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endmacro()

include(CopseKokkos)

find_package(MPI REQUIRED COMPONENTS C)
list(GET MPI_C_LIBRARIES 0 copse_mpi_library)
copse_report(MPI "standard ${MPI_C_VERSION}, ${copse_mpi_library}")
find_package(HDF5 REQUIRED COMPONENTS C)
list(GET HDF5_C_LIBRARIES 0 copse_hdf5_library)
copse_report(HDF5 "${HDF5_VERSION}, ${copse_hdf5_library}")

# Optional, for one method of miniapps/fof. Header-only; nvcc must not see the headers.
set(COPSE_HAVE_CGAL OFF)
if(NOT COPSE_ENABLE_CGAL STREQUAL "off" AND NOT COPSE_ENABLE_CUDA)
  set(CGAL_DO_NOT_WARN_ABOUT_CMAKE_BUILD_TYPE ON)
  find_package(CGAL 5.0 QUIET CONFIG)
  find_package(Boost 1.66 QUIET)
  if(CGAL_FOUND AND Boost_FOUND
      AND EXISTS ${Boost_INCLUDE_DIRS}/boost/graph/kruskal_min_spanning_tree.hpp)
    set(COPSE_HAVE_CGAL ON)
    copse_report(CGAL "${CGAL_VERSION}, installed in ${CGAL_DIR}, with Boost ${Boost_VERSION}")
  elseif(COPSE_ENABLE_CGAL STREQUAL "on")
    message(FATAL_ERROR "COPSE_ENABLE_CGAL=on, but CGAL 5.0 or newer and Boost with its graph library "
      "are not both found (Debian: libcgal-dev libboost-dev).")
  else()
    copse_report(CGAL "not found with Boost.Graph; fof is built without its method emst-delaunay")
  endif()
endif()

# Dependencies built from source are installed with Copse so that its package finds them.
set(CLI11_INSTALL ON)
set(CLI11_BUILD_DOCS OFF)
set(CLI11_BUILD_TESTS OFF)
set(CLI11_BUILD_EXAMPLES OFF)
set(JSON_Install ON)
set(FMT_INSTALL ON)
copse_dependency(CLI11 2.1 CLI11)
copse_dependency(nlohmann_json 3.10 nlohmann_json)
copse_dependency(fmt 9.0 fmt)
if(COPSE_ENABLE_TESTS)
  # Use the C++ standard of the tests: it determines what Catch2 can print, and a compiler with an
  # older default (clang 14) would leave the tests with undefined symbols.
  set(CMAKE_CXX_STANDARD 20)
  copse_dependency(Catch2 3.4 Catch2)
  unset(CMAKE_CXX_STANDARD)
  if(NOT Catch2_FOUND)
    target_compile_options(Catch2 PRIVATE $<$<CONFIG:Release>:-O1>)  # its speed does not matter
  endif()
endif()

message(STATUS "Copse dependencies:${copse_dependency_report}")
