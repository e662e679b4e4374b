// One main for every test program: MPI and Kokkos run during the whole Catch2 session.
#include <Kokkos_Core.hpp>
#include <catch2/catch_session.hpp>
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  int result = Catch::Session().run(argc, argv);
  Kokkos::finalize();
  MPI_Finalize();
  return result;
}
