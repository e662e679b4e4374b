# Kokkos: an installed one must have the requested backends; one built from source gets them.

if(NOT COPSE_ENABLE_SERIAL AND NOT COPSE_ENABLE_OPENMP)
  message(FATAL_ERROR "COPSE_ENABLE_SERIAL and COPSE_ENABLE_OPENMP are both OFF: a build needs one of the two.")
endif()
if(NOT COPSE_ENABLE_SERIAL AND COPSE_ENABLE_TESTS)
  message(FATAL_ERROR "COPSE_ENABLE_TESTS needs COPSE_ENABLE_SERIAL: tests compare backends with Serial.")
endif()
set(copse_backends "")
foreach(backend SERIAL OPENMP CUDA)
  if(COPSE_ENABLE_${backend})
    list(APPEND copse_backends ${backend})
  endif()
endforeach()

# Compute capability -> Kokkos' name for it.
set(copse_cuda_arch_70 VOLTA70)
set(copse_cuda_arch_75 TURING75)
set(copse_cuda_arch_80 AMPERE80)
set(copse_cuda_arch_86 AMPERE86)
set(copse_cuda_arch_89 ADA89)
set(copse_cuda_arch_90 HOPPER90)
set(copse_cuda_arch_100 BLACKWELL100)
set(copse_cuda_arch_120 BLACKWELL120)
set(copse_cuda_archs 70 75 80 86 89 90 100 120)
if(COPSE_ENABLE_CUDA AND NOT COPSE_CUDA_ARCH IN_LIST copse_cuda_archs)
  list(JOIN copse_cuda_archs ", " copse_known)
  message(FATAL_ERROR "COPSE_CUDA_ARCH=${COPSE_CUDA_ARCH} is not one of ${copse_known}.")
endif()

# Read only by Kokkos' own build; an installed Kokkos overrides them with its own settings.
set(Kokkos_ENABLE_SERIAL ${COPSE_ENABLE_SERIAL} CACHE BOOL "Follows COPSE_ENABLE_SERIAL" FORCE)
set(Kokkos_ENABLE_OPENMP ${COPSE_ENABLE_OPENMP} CACHE BOOL "Follows COPSE_ENABLE_OPENMP" FORCE)
set(Kokkos_ENABLE_CUDA ${COPSE_ENABLE_CUDA} CACHE BOOL "Follows COPSE_ENABLE_CUDA" FORCE)
if(COPSE_ENABLE_CUDA)
  foreach(arch IN LISTS copse_cuda_archs)
    set(copse_chosen OFF)
    if(arch STREQUAL COPSE_CUDA_ARCH)
      set(copse_chosen ON)
    endif()
    set(Kokkos_ARCH_${copse_cuda_arch_${arch}} ${copse_chosen} CACHE BOOL
      "Follows COPSE_CUDA_ARCH" FORCE)
  endforeach()
endif()

# Several builds of Kokkos are often installed side by side under /opt, and CMake would pick any of
# them. Kokkos_ROOT selects one of those.
set(copse_system_prefix_path ${CMAKE_SYSTEM_PREFIX_PATH})
list(REMOVE_ITEM CMAKE_SYSTEM_PREFIX_PATH /opt)
copse_dependency(Kokkos 5.0 kokkoscore kokkoscontainers kokkosalgorithms kokkossimd)
set(CMAKE_SYSTEM_PREFIX_PATH ${copse_system_prefix_path})

# Only the package file of an installed Kokkos sets Kokkos_DEVICES.
if(Kokkos_FOUND AND Kokkos_DEVICES)
  foreach(backend IN LISTS copse_backends)
    if(NOT backend IN_LIST Kokkos_DEVICES)
      list(JOIN Kokkos_DEVICES ", " copse_known)
      message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} has ${copse_known} but not ${backend}, which "
        "this build asks for.")
    endif()
  endforeach()
  if("CUDA" IN_LIST Kokkos_DEVICES AND NOT COPSE_ENABLE_CUDA)
    message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} has CUDA, which needs -DCOPSE_ENABLE_CUDA=ON.")
  endif()
  if(COPSE_ENABLE_CUDA AND NOT copse_cuda_arch_${COPSE_CUDA_ARCH} IN_LIST Kokkos_ARCH)
    message(WARNING "The Kokkos in ${Kokkos_DIR} was built for ${Kokkos_ARCH}, not for "
      "COPSE_CUDA_ARCH=${COPSE_CUDA_ARCH}; its choice holds.")
  endif()
endif()
list(JOIN copse_backends ", " copse_known)
copse_report("Kokkos backends" "${copse_known}")
