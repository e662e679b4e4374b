#pragma once
/// \file
/// The files of --output: a trajectory and a restart file.
///
/// A name that ends in .txt or .out is a text file as the course CS 267 has them: a line "n L" (or
/// "n Lx Ly" if the sides differ), then the frames, each with a line "x y" for every particle in
/// the order of ids and an empty line at the end. Numbers have six significant digits.
///
/// A name that ends in .h5 or .hdf5 is an HDF5 file, with everything in double:
///
///     /frame/0000000/position  [n][D]  from the lower corner of the region
///     /frame/0000000/velocity  [n][D]  at the same time, also with the leapfrog
///     /size                    [n]     relative to the cutoff, if sizes differ
///     attributes of a frame            step, time
///     attributes of /                  copse_version, particles, dimensions, frames, side [D] and
///                                      origin [D] of the region, and the options of the model
///
/// Both names have a companion NAME.restart.hdf5 with the state after the last step (restart.hpp).

#include "distributed/gather.hpp"
#include "start.hpp"
#include <copse/io/bytes/atomic_file.hpp>
#include <copse/io/hdf5/hdf5_file.hpp>

#include <mpi.h>

#include <filesystem>
#include <functional>
#include <optional>

namespace copse::collide {

inline constexpr const char* restart_ending = ".restart.hdf5";

/// \throws InputError unless the name has one of the endings above
void check_output_name(const std::filesystem::path& path);

/// Files that appear at `commit`, complete, or not at all. Rank 0 writes them, in slabs of
/// particles by id, so files do not depend on the number of ranks and rank 0 does not hold all
/// particles. All methods are collective; an error is thrown on rank 0.
class Output {
 public:
  static constexpr Count default_slab = Count{1} << 20;  ///< particles

  /// Creates temporary files, so that names that cannot be written are refused before the run.
  /// \throws InputError naming --output and the file
  Output(MPI_Comm comm, const std::filesystem::path& path, const Request& request,
         Count slab = default_slab);

  /// Before the first frame.
  template <int D>
  void begin(const Start<D>& start);
  /// Adds a frame. Rows are in any order; ghosts are left out.
  template <int D>
  void add(Count step, const State<D, Kokkos::HostSpace>& state);
  /// Adds the state after the last step, of which velocities may be those of half a step before.
  template <int D>
  void finish(Count step, const State<D, Kokkos::HostSpace>& state, const Start<D>& start);

  /// \throws InputError naming the file, if the disk is full or the like
  void commit();

 private:
  /// Calls use(first, rows) on rank 0.
  template <int D>
  void for_each_slab(const State<D, Kokkos::HostSpace>& state,
                     const std::function<void(Count, const State<D, Kokkos::HostSpace>&)>& use) {
    collide::for_each_slab<D>(comm_, state, slab_, use);
  }
  // On rank 0.
  template <int D>
  void begin_text(const Region<D>& region);
  template <int D>
  void begin_frames(const Start<D>& start);
  template <int D>
  void add_text(const State<D, Kokkos::HostSpace>& rows);

  Communicator comm_;
  const Request& request_;
  Count slab_;
  Count particles_ = 0;
  std::optional<io::AtomicFile> text_;
  std::optional<io::Hdf5Writer> frames_;
  std::optional<io::Hdf5Writer> restart_;
  Count written_ = 0;
};

}  // namespace copse::collide
