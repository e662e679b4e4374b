#include <copse/backend/runtime.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <cstdlib>

namespace copse {
namespace {

/// Starts Kokkos. If OMP_PROC_BIND is not set, Kokkos would print four lines of advice before every
/// table and error; the variable is therefore "false" during the start, which the OpenMP runtime
/// treats like no value.
void initialize_kokkos(int& argc, char**& argv) {
  const bool decided = std::getenv("OMP_PROC_BIND");
  if (!decided) setenv("OMP_PROC_BIND", "false", 0);
  // Kokkos reads the local rank from the launcher's environment and distributes ranks over devices.
  Kokkos::initialize(argc, argv);
  if (!decided) unsetenv("OMP_PROC_BIND");
}

}  // namespace

Runtime::Runtime(int& argc, char**& argv) {
  int already = 0;
  MPI_Initialized(&already);
  if (!already) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    owns_mpi_ = true;
  }
  initialize_kokkos(argc, argv);
  binding_.emplace(MPI_COMM_WORLD);
  huge_pages_.emplace();
}

Runtime::~Runtime() {
  huge_pages_.reset();
  binding_.reset();
  Kokkos::finalize();
  if (owns_mpi_) MPI_Finalize();
}

}  // namespace copse
