#pragma once
/// \file
/// States and sums of all ranks.

#include "../state.hpp"
#include <copse/backend/mpi/communicator.hpp>

#include <functional>

namespace copse::collide {

/// A rank's slice of a state (backend/mpi/rank_slice.hpp).
template <int D>
State<D, Kokkos::HostSpace> share_of(const State<D, Kokkos::HostSpace>& state, int rank, int ranks);

/// The particles of all ranks without their ghosts, in any order, on rank 0; no rows elsewhere.
/// Collective. Rank 0 needs memory for all particles.
template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> gather_state(const Communicator& comm,
                                         const State<D, MemorySpace>& state);

/// The same with row i of id i; ids must be 0 to n - 1.
template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> gather_by_id(const Communicator& comm,
                                         const State<D, MemorySpace>& state);

/// Calls use(first, rows) on rank 0 for slabs of at most `slab` particles of all ranks, ghosts left
/// out: row k has id first + k. Ids must be 0 to n - 1, so slabs do not depend on the number of
/// ranks. Collective. No rank holds more than its own particles and a slab.
template <int D>
void for_each_slab(const Communicator& comm, const State<D, Kokkos::HostSpace>& state, Count slab,
                   const std::function<void(Count, const State<D, Kokkos::HostSpace>&)>& use);

/// The smallest id of a particle of any rank with a position or velocity that is not finite;
/// most_particles if there is none. Collective.
template <int D, class MemorySpace>
Tag first_lost(const Communicator& comm, const State<D, MemorySpace>& state);

}  // namespace copse::collide
