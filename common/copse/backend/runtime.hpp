#pragma once
/// \file
/// Start-up and shut-down of MPI and Kokkos.

#include <copse/backend/huge_pages.hpp>
#include <copse/backend/thread_binding.hpp>

#include <optional>

namespace copse {

/// Owns MPI and Kokkos for the lifetime of `main`, binds threads to cores (thread_binding.hpp) and
/// requests large pages for host Views.
///
/// Order matters: MPI starts first, because it determines the device of each rank of a node, and
/// stops last, because Views passed to it must be destroyed by then. All Views must be destroyed
/// before the Runtime.
class Runtime {
 public:
  /// Starts MPI (thread level FUNNELED) and Kokkos. Removes their arguments from argc and argv. A
  /// single process needs no mpirun. Collective over MPI_COMM_WORLD.
  Runtime(int& argc, char**& argv);
  ~Runtime();

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

 private:
  bool owns_mpi_ = false;
  std::optional<ThreadBinding> binding_;
  std::optional<HugePages> huge_pages_;
};

}  // namespace copse
