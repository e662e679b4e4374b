# Functions that declare the suite's targets, so that each folder's CMakeLists.txt is a list of names.

add_library(copse_warnings INTERFACE)
target_compile_options(copse_warnings INTERFACE -Wall -Wextra -Wshadow
  $<$<BOOL:${COPSE_WARNINGS_AS_ERRORS}>:-Werror>
  # GCC notes of every function with a vector parameter that its ABI changed in GCC 4.6.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
  # The mask of one lane is a bool; the same source combines masks of many lanes with & and |.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical>)
# GCC collects garbage once it holds a gigabyte instead of an eighth of that: a tenth less time to compile.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT COPSE_ENABLE_CUDA)
  target_compile_options(copse_warnings INTERFACE --param=ggc-min-heapsize=1000000)
endif()

# Compile options of sources whose floating-point results must be the same bits on every backend: no
# compiler may fuse a * b + c in their kernels.
set(copse_exact_arithmetic -ffp-contract=off)
if(COPSE_ENABLE_CUDA)
  list(APPEND copse_exact_arithmetic -fmad=false)
endif()

if(COPSE_SANITIZER STREQUAL "address")
  add_library(copse_keep_plugins_loaded OBJECT ${CMAKE_CURRENT_LIST_DIR}/keep_plugins_loaded.c)
  # For every program declared from here on, but not for libraries.
  link_libraries($<BUILD_INTERFACE:$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:copse_keep_plugins_loaded>>>)
endif()

# copse_add_miniapp(<name> SOURCES <files>): the executable bin/<name>.
function(copse_add_miniapp name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE copse::common copse_warnings)
  copse_precompile(${name} copse_common)
  install(TARGETS ${name} RUNTIME)
endfunction()

# copse_compile_together(<target>...): two measures against compiling the same headers again and
# again, for libraries that have all their sources: copse_merge_sources, and host compilers start from
# the precompiled headers of copse_common.
function(copse_compile_together)
  foreach(target IN LISTS ARGN)
    copse_precompile(${target} copse_common)
    copse_merge_sources(${target})
  endforeach()
endfunction()

# copse_merge_sources(<target>): up to COPSE_MERGE_SOURCES sources of the target, folder by folder, are
# compiled together. Sources with their own compile options, and those of copse_compile_alone, stay
# alone.
function(copse_merge_sources target)
  if(NOT COPSE_MERGE_SOURCES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC warns of types in unnamed namespaces where the source is included by another one.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(base ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  set(merged 0)
  foreach(source IN LISTS sources)
    get_source_file_property(options ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    get_source_file_property(alone ${source} TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    if(options OR alone)
      continue()
    endif()
    math(EXPR batch "${merged} / ${COPSE_MERGE_SOURCES}")
    math(EXPR merged "${merged} + 1")
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${base})
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES
      UNITY_GROUP ${target}_${batch})
  endforeach()
endfunction()

# copse_compile_alone(<target> <files>...): sources that host compilers take so long for that a changed one
# should not be compiled together with others. nvcc parses slowly and compiles them together; so does
# a build without tests, which is for users and not for changes.
function(copse_compile_alone target)
  if(NOT COPSE_ENABLE_CUDA AND COPSE_ENABLE_TESTS)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES
      SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# copse_compute_exactly(<target> <files>...): the files are compiled with copse_exact_arithmetic and
# without precompiled headers: a header with `#pragma GCC pop_options` brings back the options that
# GCC 12 compiled those with, where a * b + c is fused.
function(copse_compute_exactly target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES
    COMPILE_OPTIONS "${copse_exact_arithmetic}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# copse_precompile(<target> <owner>): on host compilers the target starts from the precompiled headers of
# <owner>, which compiles them if it is the target itself: the libraries that nearly every source
# includes. Precompiled headers of libraries need -fPIC, so programs are compiled with it instead of
# -fPIE.
function(copse_precompile target owner)
  if(COPSE_ENABLE_CUDA)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE <Kokkos_Core.hpp> <fmt/format.h>
      <nlohmann/json.hpp> <algorithm> <string> <vector>)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
