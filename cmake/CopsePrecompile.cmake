# COPSE_PRECOMPILE: sources are compiled on top of what they include of Kokkos and Catch2 anyway,
# parsed once for all libraries and once for all tests. A source that does not come to these headers
# by its own includes is compiled without. Only the order is lost: that a header leans on what its
# users include before it is found by tests/headers, which has the headers of common/copse.

# copse_headers_of(<result> <source>): every <header> from outside of the suite that the source
# includes, itself or through headers of the suite. Each file is read once.
function(copse_headers_of result source)
  get_property(known GLOBAL PROPERTY "copse_headers_of ${source}" SET)
  if(NOT known)
    # Before its own includes: files that include each other come to an end.
    set_property(GLOBAL PROPERTY "copse_headers_of ${source}" "")
    set(outside "")
    get_filename_component(folder ${source} DIRECTORY)
    set(places ${folder} ${PROJECT_SOURCE_DIR}/common ${PROJECT_SOURCE_DIR}/miniapps
      ${PROJECT_SOURCE_DIR}/roofline ${PROJECT_SOURCE_DIR}/docs/examples ${PROJECT_SOURCE_DIR}/tests
      ${PROJECT_SOURCE_DIR}/tests/support)
    file(STRINGS ${source} includes REGEX "^#include [<\"]")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include [<\"]([^>\"]*).*" "\\1" include "${include}")
      set(inside "")
      foreach(place IN LISTS places)
        if(EXISTS ${place}/${include})
          set(inside ${place}/${include})
          break()
        endif()
      endforeach()
      if(inside)
        get_filename_component(inside ${inside} ABSOLUTE)
        copse_headers_of(through ${inside})
        list(APPEND outside ${through})
      else()
        list(APPEND outside ${include})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES outside)
    set_property(GLOBAL PROPERTY "copse_headers_of ${source}" "${outside}")
  endif()
  get_property(outside GLOBAL PROPERTY "copse_headers_of ${source}")
  set(${result} "${outside}" PARENT_SCOPE)
endfunction()

# copse_precompile(<owner> HEADERS <headers> TARGETS <targets>): an object library <owner> holds the
# headers, compiled with its own options, which must be those of the targets.
function(copse_precompile owner)
  cmake_parse_arguments(ARG "" "" "HEADERS;TARGETS" ${ARGN})
  list(TRANSFORM ARG_HEADERS REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE included)
  target_precompile_headers(${owner} PRIVATE ${included})
  foreach(target IN LISTS ARG_TARGETS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    get_target_property(base ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      get_filename_component(path ${source} ABSOLUTE BASE_DIR ${base})
      get_source_file_property(options ${path} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
      set(found "")
      if(NOT options AND EXISTS ${path})
        copse_headers_of(found ${path})
      endif()
      foreach(header IN LISTS ARG_HEADERS)
        if(NOT header IN_LIST found)
          set_source_files_properties(${path} TARGET_DIRECTORY ${target} PROPERTIES
            SKIP_PRECOMPILE_HEADERS ON)
          break()
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "// Headers alone.\n")
foreach(owner copse_precompiled copse_precompiled_tests)
  add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
  # As users of copse::common are compiled, which cannot be linked by what it depends on.
  target_link_libraries(${owner} PRIVATE Kokkos::kokkos)
  target_compile_features(${owner} PRIVATE cxx_std_20)
  target_compile_options(${owner} PRIVATE
    $<TARGET_PROPERTY:copse_common,INTERFACE_COMPILE_OPTIONS>)
endforeach()
copse_precompile(copse_precompiled HEADERS Kokkos_Core.hpp
  TARGETS copse_common copse_orb copse_traversal copse_fof copse_ceilings)

if(COPSE_ENABLE_TESTS)
  target_link_libraries(copse_precompiled_tests PRIVATE Catch2::Catch2)
  copse_compile_as_test(copse_precompiled_tests)
  # As programs are compiled, which tests are.
  set_target_properties(copse_precompiled_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(copse_precompiled_tests PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
  get_property(copse_test_programs GLOBAL PROPERTY COPSE_TEST_PROGRAMS)
  copse_precompile(copse_precompiled_tests
    HEADERS Kokkos_Core.hpp catch2/catch_test_macros.hpp TARGETS ${copse_test_programs})
endif()
