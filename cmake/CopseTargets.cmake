# Functions that declare the suite's targets, so that each folder's CMakeLists.txt is a list of names.

add_library(copse_warnings INTERFACE)
target_compile_options(copse_warnings INTERFACE -Wall -Wextra -Wshadow
  $<$<BOOL:${COPSE_WARNINGS_AS_ERRORS}>:-Werror>
  # The mask of one lane is a bool; the same source combines masks of many lanes with & and |.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical>)

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
  install(TARGETS ${name} RUNTIME)
endfunction()

# copse_merge_for_cuda(<target> <group> <files>...): in nvcc builds these files without kernels are
# compiled as one. nvcc spends about ten seconds on the includes of a file, which are much the same
# for all of them. COPSE_MERGE_SOURCES merges more.
function(copse_merge_for_cuda target group)
  if(COPSE_ENABLE_CUDA AND NOT COPSE_MERGE_SOURCES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endif()
endfunction()

# copse_merge_folders(<target>...): applies COPSE_MERGE_SOURCES to targets that have all their
# sources. It never merges across folders, so a new file changes only the merging of its neighbours.
# Sources with their own options are not merged.
function(copse_merge_folders)
  foreach(target IN LISTS ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # GCC warns about types of an anonymous namespace in included files, which merged sources are.
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
