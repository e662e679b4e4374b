#pragma once
/// \file
/// Every group on one rank, its owner, and the numbers that groups have over all ranks.
///
/// Members come to the owner in the order of the input (whole_groups.hpp), and what a catalogue
/// says of a group depends on nothing but its members in that order: the rows of all owners, put in
/// the order of one rank's catalogue, *are* one rank's catalogue, bit by bit. Rank 0 sees a row of
/// numbers a group and never the particles.

#include "../catalogue/catalogue.hpp"
#include "../catalogue/groups.hpp"
#include <copse/backend/communicator.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

struct OwnedGroups {
  Particles<Kokkos::HostSpace> particles;  ///< members of the groups of level 0, in input order
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, Kokkos::HostSpace> row;  ///< theirs over all ranks
  Groups<Kokkos::HostSpace> groups;  ///< of all levels; members are rows of `particles`
  Catalogue catalogue;               ///< of `groups`
  ColumnSet columns;                 ///< of all ranks' particles; who has none cannot show them
  std::vector<Count> place;          ///< where members begin in the list of all groups' members
};

/// Gives the owned groups the numbers that one rank would give them: level by level, by decreasing
/// number of members, then by smallest row. Before, ids and parents count this rank's groups and
/// `central` is a row of `particles`; afterwards all three count over all ranks, and `place` is
/// known. Collective. O(G log G) for G groups of all ranks, on rank 0.
/// \return on rank 0 the catalogue of all groups, elsewhere none
Catalogue number_groups(const Communicator& comm, OwnedGroups& owned);

}  // namespace copse::fof
