#pragma once
/// \file
/// The oracle of `--verify`: contacts and steps on the host, found without a grid.
///
/// Particles are sorted along one axis; candidates are those less than the largest reach further
/// along. Shares the force and the region with the methods, and nothing else. O(n^1.5) in two
/// dimensions for a constant density, on all cores of the host.

#include "contacts.hpp"

#include <vector>

namespace copse::collide {

/// The directed contacts at the positions of a state whose row i has id i: for every particle the
/// ids of its partners, ascending. Periodic images by comparing with shifted copies.
template <int D>
struct ReferenceContacts {
  std::vector<Count> offsets;  ///< [n + 1]
  std::vector<Tag> partners;
};

template <int D>
ReferenceContacts<D> find_reference_contacts(const State<D, Kokkos::HostSpace>& state,
                                             const Physics<D>& physics);

/// Their sums.
template <int D>
ContactSums reference_sums(const State<D, Kokkos::HostSpace>& state, const Physics<D>& physics,
                           const ReferenceContacts<D>& contacts);

/// Moves the state by one step.
/// \return how many coordinates were turned by a wall
template <int D>
Count reference_step(State<D, Kokkos::HostSpace>& state, const Physics<D>& physics,
                     const ReferenceContacts<D>& contacts);

/// Rows ordered by id. \throws InputError never; ids must be 0 to n - 1
template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> by_id(const State<D, MemorySpace>& state);

}  // namespace copse::collide
