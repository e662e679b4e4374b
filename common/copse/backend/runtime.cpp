#include <copse/backend/runtime.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

namespace copse {

Runtime::Runtime(int& argc, char**& argv) {
  int already = 0;
  MPI_Initialized(&already);
  if (!already) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    owns_mpi_ = true;
  }
  // Kokkos reads the local rank from the launcher's environment and distributes ranks over devices.
  Kokkos::initialize(argc, argv);
  huge_pages_.emplace();
}

Runtime::~Runtime() {
  huge_pages_.reset();
  Kokkos::finalize();
  if (owns_mpi_) MPI_Finalize();
}

}  // namespace copse
