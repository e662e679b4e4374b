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

# Versions that are not this one, before and after: the package must say no.
foreach(wanted 0.0 0.2 1.0)
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/other
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_C_COMPILER=${C_COMPILER}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DWANTED=${wanted} ${flags}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0 OR NOT output MATCHES "requested version")
    message(FATAL_ERROR "version ${wanted} of the package is accepted, or refused for another reason:\n${output}")
  endif()
endforeach()

# Copse itself finds an installed Kokkos by Kokkos_ROOT, and takes no other. A Kokkos that was built
# from source is in the prefix.
if(BUILDS_KOKKOS)
  step("configure Copse with Kokkos_ROOT" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${ROOT} -B ${WORK}/again
    -DKokkos_ROOT=${WORK}/prefix -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCOPSE_ENABLE_TESTS=OFF
    -DCOPSE_ENABLE_OPENMP=${OPENMP} -DCOPSE_ENABLE_CUDA=${CUDA} -DCOPSE_DEPS_DIR=${DEPS}
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} ${flags})
  if(NOT output MATCHES "Kokkos: [0-9.]+, installed in ${WORK}/prefix")
    message(FATAL_ERROR "Copse did not take the Kokkos of Kokkos_ROOT:\n${output}")
  endif()
endif()

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
