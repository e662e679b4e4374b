# Kokkos: an installed one must have the requested backends; one built from source gets them, and is
# compiled for the same CPU as Copse.

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

# The CPU. Kokkos picks its SIMD vectors by what its configuration header says, so Kokkos and Copse
# must get the same flag: copse_cpu_flags. copse_cpu_simd is what Kokkos calls the widest vectors of
# that CPU; empty: scalars only. In CUDA builds nvcc_wrapper passes the flag to the host compiler.
set(copse_cpu_flags "")
if(COPSE_CPU_ARCH STREQUAL "native" AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(copse_cpu_flags -mcpu=native)
elseif(COPSE_CPU_ARCH)
  set(copse_cpu_flags -march=${COPSE_CPU_ARCH})
endif()
set(copse_cpu_simd "")
set(copse_simd_AVX512XEON __AVX512F__)
set(copse_simd_AVX2 __AVX2__)
set(copse_simd_ARM_SVE __ARM_FEATURE_SVE_BITS)
set(copse_simd_ARM_NEON __ARM_NEON)
set(copse_simds AVX512XEON AVX2 ARM_SVE ARM_NEON)
if(COPSE_ENABLE_CUDA)
  list(REMOVE_ITEM copse_simds ARM_NEON)  # Kokkos does not use it under nvcc
endif()
include(CheckCXXSymbolExists)
set(CMAKE_REQUIRED_FLAGS ${copse_cpu_flags})
set(CMAKE_REQUIRED_QUIET ON)
foreach(simd IN LISTS copse_simds)
  string(MAKE_C_IDENTIFIER "COPSE_CPU_${simd}_${COPSE_CPU_ARCH}" copse_found)
  check_cxx_symbol_exists(${copse_simd_${simd}} "" ${copse_found})
  if(${copse_found})
    set(copse_cpu_simd ${simd})
    break()
  endif()
endforeach()
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_QUIET)

# Kokkos' own option finds the native CPU and the length of its SVE vectors. Its other options name
# products, so the vectors of any other CPU are set as those options set them.
set(copse_chosen OFF)
if(COPSE_CPU_ARCH STREQUAL "native")
  set(copse_chosen ON)
elseif(copse_cpu_simd)
  set(KOKKOS_ARCH_${copse_cpu_simd} ON)
endif()
set(Kokkos_ARCH_NATIVE ${copse_chosen} CACHE BOOL "Follows COPSE_CPU_ARCH" FORCE)

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
elseif(copse_cpu_flags AND NOT COPSE_CPU_ARCH STREQUAL "native")
  # Public, as Kokkos' own flags are: a program with its headers needs the same CPU.
  target_compile_options(kokkoscore PUBLIC $<$<COMPILE_LANGUAGE:CXX>:${copse_cpu_flags}>)
endif()

# The SIMD vectors and the CPU of the Kokkos that was found, from its header and its flags. Flags of
# an installed Kokkos come last on the command line and override those of Copse.
if(Kokkos_FOUND AND Kokkos_DEVICES)
  get_target_property(copse_kokkos_headers Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(copse_kokkos_flags Kokkos::kokkoscore INTERFACE_COMPILE_OPTIONS)
else()
  set(copse_kokkos_headers ${kokkos_BINARY_DIR})
  set(copse_kokkos_flags "")
endif()
set(copse_kokkos_simd "")
foreach(folder IN LISTS copse_kokkos_headers)
  if(EXISTS ${folder}/KokkosCore_config.h)
    file(STRINGS ${folder}/KokkosCore_config.h copse_defined
      REGEX "^#define KOKKOS_ARCH_(AVX512XEON|AVX2|ARM_SVE|ARM_NEON)$")
    string(REGEX REPLACE ".*KOKKOS_ARCH_" "" copse_kokkos_simd "${copse_defined}")
    break()
  endif()
endforeach()
foreach(side cpu kokkos)
  set(copse_told_${side} "${copse_${side}_simd}")
  if(NOT copse_told_${side})
    set(copse_told_${side} scalar)
  endif()
endforeach()
string(REGEX MATCHALL "-m(arch|cpu)=[^ ;>]+" copse_kokkos_cpu "${copse_kokkos_flags}")
if(copse_cpu_flags)
  list(REMOVE_ITEM copse_kokkos_cpu ${copse_cpu_flags})
endif()
if(copse_kokkos_cpu OR NOT copse_kokkos_simd STREQUAL copse_cpu_simd)
  message(WARNING "COPSE_CPU_ARCH=${COPSE_CPU_ARCH} has ${copse_told_cpu} vectors, but Kokkos was built "
    "for another CPU: ${copse_told_kokkos} vectors, flags '${copse_kokkos_cpu}'. Its choice holds, and host "
    "code may be slower. Build Kokkos for this CPU (Kokkos_ARCH_NATIVE=ON), or let Copse build it "
    "(CMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON).")
endif()
copse_report("Kokkos vectors" "${copse_told_kokkos}")
list(JOIN copse_backends ", " copse_known)
copse_report("Kokkos backends" "${copse_known}")
