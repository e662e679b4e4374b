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
# to the file; what a file includes is much the same for all.
function(copse_merge_for_cuda target group)
  if(COPSE_ENABLE_CUDA)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endif()
endfunction()
