#pragma once
/// \file
/// States and sums of all ranks.

#include "../state.hpp"
#include <copse/backend/mpi/communicator.hpp>

namespace copse::collide {

/// Rows [rank n / ranks, (rank + 1) n / ranks) of a state.
template <int D>
State<D, Kokkos::HostSpace> share_of(const State<D, Kokkos::HostSpace>& state, int rank, int ranks);

/// The particles of all ranks without their ghosts, in any order, on rank 0; no rows elsewhere.
/// Collective. Rank 0 needs memory for all particles.
template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> gather_rows(const Communicator& comm,
                                        const State<D, MemorySpace>& state);

/// The same with row i of id i; ids must be 0 to n - 1.
template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> gather_by_id(const Communicator& comm,
                                         const State<D, MemorySpace>& state);

/// The smallest id of a particle of any rank with a position or velocity that is not finite;
/// most_particles if there is none. Collective.
template <int D, class MemorySpace>
Tag first_lost(const Communicator& comm, const State<D, MemorySpace>& state);

}  // namespace copse::collide
