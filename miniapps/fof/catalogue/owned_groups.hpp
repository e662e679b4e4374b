#pragma once
/// \file
/// Every group on one rank, its owner, and the numbers that groups have over all ranks.
///
/// Members come to the owner in the order of the input (distributed/whole_groups.hpp); one rank
/// alone owns all of them. What a catalogue says of a group depends only on its members in that
/// order, so the catalogue rows of all owners, put in the order of one rank's catalogue, *are* one
/// rank's catalogue, bit by bit. Rank 0 gets one catalogue row a group and never the particles.

#include "catalogue.hpp"
#include "groups.hpp"
#include <copse/backend/communicator.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

struct OwnedGroups {
  /// In input order; over several ranks the members of groups of level 0 alone.
  Particles<Kokkos::HostSpace> particles;
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, Kokkos::HostSpace> row;  ///< theirs over all ranks
  Groups<Kokkos::HostSpace> groups;  ///< of all levels; members are rows of `particles`
  Catalogue catalogue;               ///< of `groups`
  ColumnSet columns;                 ///< of all ranks' particles, also where a rank has none
  std::vector<Count> place;          ///< where members begin in the list of all groups' members
};

/// Gives the owned groups the numbers that one rank would give them: level by level, by decreasing
/// number of members, then by smallest row. Before, ids and parents count this rank's groups and
/// `central` is a row of `particles`; afterwards all three count over all ranks, and `place` is
/// known. Collective. O(G log G) for G groups of all ranks, on rank 0.
/// \return on rank 0 the catalogue of all groups, elsewhere none
Catalogue number_groups(const Communicator& comm, OwnedGroups& owned);

}  // namespace copse::fof
