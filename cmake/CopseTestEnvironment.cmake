# copse_test_environment: the environment of every test process.

# Two threads, which sleep while they wait because ranks share cores; permission for Open MPI to run
# as root in containers and to start more ranks than cores, without pinning them all to the same
# few; no remote shell, which a single host does not need and may not have; no probing for network
# hardware. A process without mpirun starts no daemon for ranks that it will not spawn, which would
# take most of the time of a short program; tests/support/mpi_session.cmake keeps the session folder
# that such processes share.
set(copse_test_environment
  OMP_NUM_THREADS=2 OMP_PROC_BIND=false OMP_WAIT_POLICY=passive
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_plm_rsh_agent=false
  OMPI_MCA_ess_singleton_isolated=1
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none)

# Waiting ranks call sched_yield, which sleeping_yield.c turns into a sleep. Not with sanitizers: their library must be
# the first one loaded.
list(APPEND copse_test_environment OMPI_MCA_mpi_yield_when_idle=1)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT COPSE_SANITIZER)
  add_library(copse_sleeping_yield MODULE ${CMAKE_CURRENT_LIST_DIR}/../tests/support/sleeping_yield.c)
  list(APPEND copse_test_environment LD_PRELOAD=$<TARGET_FILE:copse_sleeping_yield>)
endif()

# The components that Open MPI chooses on one host without a GPU; naming them skips its search.
if(NOT COPSE_ENABLE_CUDA)
  list(APPEND copse_test_environment OMPI_MCA_pml=ob1)
endif()

# Seconds after which a test is stopped: several times what the slowest takes on two cores, because
# the limit is for programs that hang. Sanitizers make tests several times slower, and so does the
# search for a GPU at each start while other tests use it.
set(copse_test_seconds 900)
if(COPSE_SANITIZER OR COPSE_ENABLE_CUDA)
  set(copse_test_seconds 2400)
endif()

# The suppressions name memory that MPI libraries leave at exit; nothing of Copse is suppressed. The
# stand-in stack that detects uses after return, on by default since GCC 13, is disabled: in GCC
# 13.3 it is not aligned for 64-byte vectors, and code with such vectors crashes there.
if(COPSE_SANITIZER STREQUAL "address")
  list(APPEND copse_test_environment
    ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=0
    LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/../tests/support/leaks.supp:print_suppressions=0
    UBSAN_OPTIONS=print_stacktrace=1)
endif()

# The thread sanitizer cannot see into the OpenMP runtime or the MPI library. Archer, which is part
# of clang's OpenMP runtime, reports OpenMP's barriers and locks to it. Races inside libraries
# without instrumentation (MPI, HDF5, the runtime itself) are ignored, and so are the places of
# Kokkos in races.supp.
if(COPSE_SANITIZER STREQUAL "thread")
  get_filename_component(copse_openmp_folder "${OpenMP_omp_LIBRARY}" REALPATH)
  get_filename_component(copse_openmp_folder "${copse_openmp_folder}" DIRECTORY)
  find_library(COPSE_ARCHER archer HINTS ${copse_openmp_folder})
  if(NOT COPSE_ARCHER)
    message(FATAL_ERROR "COPSE_SANITIZER=thread needs libarcher, which comes with clang's OpenMP "
      "runtime (Debian: libomp-dev), and there is none in ${copse_openmp_folder}.")
  endif()
  list(APPEND copse_test_environment
    OMP_TOOL_LIBRARIES=${COPSE_ARCHER}
    TSAN_OPTIONS=ignore_noninstrumented_modules=1:second_deadlock_stack=1:suppressions=${CMAKE_CURRENT_LIST_DIR}/../tests/support/races.supp)
endif()
