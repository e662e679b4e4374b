# Functions that declare the suite's targets, so that each folder's CMakeLists.txt is a list of names.

add_library(copse_warnings INTERFACE)
target_compile_options(copse_warnings INTERFACE -Wall -Wextra -Wshadow
  $<$<BOOL:${COPSE_WARNINGS_AS_ERRORS}>:-Werror>
  # The mask of one lane is a bool; the same source joins masks of many lanes with & and |.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical>)

if(COPSE_SANITIZER STREQUAL "address")
  add_library(copse_keep_plugins_loaded OBJECT ${CMAKE_CURRENT_LIST_DIR}/keep_plugins_loaded.c)
  # For every program declared from here on; libraries do not take it up.
  link_libraries($<BUILD_INTERFACE:$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:copse_keep_plugins_loaded>>>)
endif()

# copse_add_miniapp(<name> SOURCES <files>): the executable bin/<name>.
function(copse_add_miniapp name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE copse::common copse_warnings)
  install(TARGETS ${name} RUNTIME)
endfunction()

# copse_merge_for_cuda(<target> <group> <files>...): where nvcc compiles, these files without
# kernels are compiled as one. nvcc takes some ten seconds for what a file includes before it comes
# to the file; what a file includes is much the same for all. COPSE_MERGE_SOURCES goes further.
function(copse_merge_for_cuda target group)
  if(COPSE_ENABLE_CUDA AND NOT COPSE_MERGE_SOURCES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endif()
endfunction()

# copse_merge_folders(<target>...): COPSE_MERGE_SOURCES at work on targets that have all their
# sources. Never across folders, so that a new file changes what its neighbours are compiled with
# and nothing else. Sources with options of their own stay alone.
function(copse_merge_folders)
  foreach(target IN LISTS ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # That a source's own types stay its own is warned about in what is included.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    get_target_property(base ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      get_source_file_property(options ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
      if(options)
        continue()
      endif()
      get_filename_component(source ${source} ABSOLUTE BASE_DIR ${base})
      get_filename_component(folder ${source} DIRECTORY)
      file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
      string(MAKE_C_IDENTIFIER ${folder} folder)
      if(NOT DEFINED merged_${folder})
        set(merged_${folder} 0)
      endif()
      math(EXPR batch "${merged_${folder}} / ${COPSE_MERGE_SOURCES}")
      math(EXPR merged_${folder} "${merged_${folder}} + 1")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES
        UNITY_GROUP ${folder}_${batch})
    endforeach()
  endforeach()
endfunction()
