# Installs the build tree BUILD into a fresh prefix, then builds and runs the project SOURCE against
# that prefix alone. Fails with the output of the first step that fails.

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${what}: ${result}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(flags "")
if(SANITIZER STREQUAL "address")
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=address,undefined)
elseif(SANITIZER)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZER})
endif()

step("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step("configure" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
  -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} ${flags})
step("build" ${CMAKE_COMMAND} --build ${WORK}/build)
if(SANITIZER STREQUAL "address")
  # The consumer does not keep MPI's plugins loaded as our programs do, so their leaks have no names
  # to suppress.
  set(ENV{ASAN_OPTIONS} detect_leaks=0)
endif()
step("run" ${WORK}/build/consumer)
if(NOT output MATCHES "4 particles")
  message(FATAL_ERROR "the consumer printed '${output}', not '4 particles'")
endif()
# After success, delete the prefix of several tens of megabytes.
file(REMOVE_RECURSE ${WORK})
