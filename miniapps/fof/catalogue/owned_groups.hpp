#pragma once
/// \file
/// Groups distributed over ranks, each on one owner rank, and their global numbering.
///
/// Members arrive at the owner in input order (distributed/whole_groups.hpp); a single rank owns
/// all groups. The properties of a group depend only on its members in that order. The catalogue
/// rows of all owners, merged in the order of a single rank's catalogue, therefore equal that
/// catalogue bit by bit. Rank 0 receives one catalogue row per group and never the particles.

#include "catalogue.hpp"
#include "groups.hpp"
#include <copse/backend/mpi/communicator.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

struct OwnedGroups {
  /// in input order; on several ranks only members of level-0 groups
  Particles<Kokkos::HostSpace> particles;
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, Kokkos::HostSpace>
      row;                           ///< global indices of `particles`
  Groups<Kokkos::HostSpace> groups;  ///< of all levels; members are indices into `particles`
  Catalogue catalogue;               ///< of `groups`
  ColumnSet columns;                 ///< of all ranks' particles, also on a rank without particles
  std::vector<Count> place;          ///< where members begin in the list of all groups' members
};

/// Numbers the owned groups as a single rank would: level by level, by decreasing number of
/// members, then by smallest particle index. On entry ids and parents count this rank's groups and
/// `central` is an index into `particles`; on return all three are global, and `place` is set.
/// Collective. O(G log G) for G groups of all ranks, on rank 0.
/// \return on rank 0 the catalogue of all groups, elsewhere an empty one
Catalogue number_groups(const Communicator& comm, OwnedGroups& owned);

}  // namespace copse::fof
