#pragma once
/// \file
/// Moves particles to the ranks that will own them.

#include <copse/backend/mpi/communicator.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Sends particle i to rank `destination(i)` and returns the particles sent to this rank, ordered
/// by source rank and within a source by their order there. All columns are moved. Collective over
/// `comm`. Any rank may hold or receive no particles, and particles may stay on their rank.
///
/// The columns of the result are the same on all ranks: those of the ranks that hold particles. An
/// empty table has no columns, so it is ignored. `box` is kept and must be the same on all ranks.
///
/// Particles are grouped by destination (order_by_destination), counts are exchanged, then each
/// column is packed and exchanged separately. Per particle of p bytes in c contiguous columns (an
/// axis counts as one): packing moves 2 p + 4 c bytes; a particle that changes rank sends p bytes,
/// one that stays is copied once more (2 p). Memory in addition to the two tables: 4 bytes per
/// particle for the order, 8 for the pack buffer, and the staging buffers of `comm` (the same again
/// on each side) if MPI cannot read the device.
///
/// \throws std::invalid_argument, on every rank, if on any rank `destination` differs in length
///         from the table or has an entry outside [0, size), or if a column exists only on some of
///         the ranks with particles.
/// \throws InputError, on every rank, if a rank would get more than max_particles_per_rank.
template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> exchange_particles(
    const ExecutionSpace& exec, const Communicator& comm,
    const Particles<typename ExecutionSpace::memory_space>& particles,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination);

}  // namespace copse
