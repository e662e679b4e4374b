#pragma once
/// \file
/// The oracle of `--verify`: contacts and steps on the host, found without a grid.
///
/// Particles are sorted along axis 0. The candidates of a particle are those at most the largest
/// reach above it, across a periodic side too. The reference shares the force, the region and the
/// terms of ContactSums with the methods. The search, the sums and the step use all host threads;
/// the sort and the merge of pairs use one. O(n^1.5) in two dimensions for a constant density.

#include "contacts.hpp"

#include <vector>

namespace copse::collide {

/// Contacts in both directions, by row.
struct ReferenceContacts {
  std::vector<Count> offsets;  ///< [n + 1] into `partners`
  /// Rows in contact with row i, ascending; 4 bytes per direction.
  std::vector<Tag> partners;
};

/// The contacts at the current positions. Rows are numbered as stored; where row i has id i,
/// partners ascend by id.
template <int D>
ReferenceContacts find_reference_contacts(const State<D, Kokkos::HostSpace>& state,
                                          const Physics<D>& physics);

/// The sums over these contacts; `candidates` stays 0. A pair counts twice. Sums of doubles depend
/// on the number of threads in the last bits; counts and the fingerprint do not.
template <int D>
ContactSums reference_sums(const State<D, Kokkos::HostSpace>& state, const Physics<D>& physics,
                           const ReferenceContacts& contacts);

/// Moves all rows by one step: kick, drift, fold. O(n + contacts).
/// \return how many coordinates left with another velocity; two reflections in a step cancel
template <int D>
Count reference_step(State<D, Kokkos::HostSpace>& state, const Physics<D>& physics,
                     const ReferenceContacts& contacts);

/// A host copy with row i of id i. Ids must be 0 to n - 1; this is not checked. O(n), one thread.
template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> by_id(const State<D, MemorySpace>& state);

}  // namespace copse::collide
