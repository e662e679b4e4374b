#pragma once
/// \file
/// Start-up and shut-down of MPI and Kokkos.

#include <copse/backend/huge_pages.hpp>

#include <optional>

namespace copse {

/// Owns MPI and Kokkos for the lifetime of `main`, and asks for large pages under host Views.
///
/// Order matters: MPI starts first, because it tells each rank of a node which device is its own,
/// and stops last, because Views handed to it must be gone by then. All Views must be destroyed
/// before the Runtime is.
class Runtime {
 public:
  /// Starts MPI (thread level FUNNELED) and Kokkos. Removes the arguments that belong to either
  /// from argc and argv. A single process needs no mpirun.
  Runtime(int& argc, char**& argv);
  ~Runtime();

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

 private:
  bool owns_mpi_ = false;
  std::optional<HugePages> huge_pages_;
};

}  // namespace copse
