#pragma once
/// \file
/// Moves particles to the ranks that are to own them.

#include <copse/backend/communicator.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Bytes of one particle with these columns: what a particle that changes rank puts on the wire.
/// 12 for positions alone, 41 with every column (Real = float).
constexpr std::size_t particle_bytes(ColumnSet columns) {
  return 3 * sizeof(Real) + (columns.velocity ? 3 * sizeof(Real) : 0) +
         (columns.mass ? sizeof(Real) : 0) + (columns.id ? sizeof(GlobalId) : 0) +
         (columns.weight ? sizeof(Real) : 0) + (columns.species ? sizeof(Species) : 0);
}

/// Sends row i to rank `destination(i)` and returns the rows sent to this rank, ordered by source
/// rank and within a source by their order there. Every column moves. Collective over `comm`; any
/// rank may hold or receive nothing, and rows may stay where they are.
///
/// The columns of the result are the same on all ranks: those of the ranks that hold particles. An
/// empty table cannot show its columns, so it has no say. `box` is kept, and is taken to be the
/// same everywhere.
///
/// Rows are grouped by destination (order_by_destination), counts are exchanged, then each column
/// is packed and exchanged on its own. Per particle with p = particle_bytes(columns) of payload in
/// c contiguous columns (an axis counts as one): packing moves 2 p + 4 c bytes; a particle that
/// changes rank puts p bytes on the wire, one that stays is copied once more (2 p). Memory beside
/// the two tables: 4 bytes a row for the order, sizeof(column element) for the pack buffer, and the
/// staging buffers of `comm` (the same again on each side) if MPI cannot read the device.
///
/// \throws std::invalid_argument, on every rank, if `destination` has another length than the table
///         or an entry outside [0, size) on any rank, or if a column exists on some of the ranks
///         with particles only.
/// \throws InputError, on every rank, if a rank would get more than max_particles_per_rank.
template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> exchange_particles(
    const ExecutionSpace& exec, const Communicator& comm,
    const Particles<typename ExecutionSpace::memory_space>& particles,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination);

}  // namespace copse
