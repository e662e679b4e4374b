#pragma once
/// \file
/// Compares group labels with groups found independently, for inputs of any size on any number of
/// ranks. No rank holds all particles. It shares no code with the linking methods: no tree, no
/// curve, no SIMD, no messages of the distributed linker.
///
/// - **Cells.** A regular grid has cells of 0.57 linking lengths, so a cell's diagonal is below one
///   linking length, and friends are at most two cells apart on every axis. Cells are stored only
///   if occupied. A *layer* is all cells with the same coordinate along the longest axis.
/// - **Ranks.** Each rank owns consecutive layers with an equal share of the particles, and gets
///   the two layers above them from other ranks (across the face of a periodic box too). Every pair
///   of near cells is tested by the owner of the lower layer. The domains are not those of the
///   linker.
/// - **Slabs.** A rank visits its layers in slabs of at most `slab_particles` particles, or one
///   layer, sorted by cell, with the two layers above. Tests are in parallel over cells.
/// - **Components.** Friends are joined in disjoint sets of the rank's particles. Two cells are
///   skipped if both are known to lie in the same set. If each lies in one set and the sets differ,
///   one pair of friends joins them. In space almost every cell is a clique and one set. No result
///   relies on that: the pairs tested in a cell show whether it is one set.
/// - **Over ranks.** Every set has the smallest global index of its particles. Owners and holders
///   of copies exchange the smaller of their two indices until nothing changes. The number of
///   rounds is one more than the number of times that a group's path crosses between ranks.
///
/// The smallest index in a component is the only right label. Equality for all particles therefore
/// means: friends are in the same group, every group is connected, and groups have the number and
/// sizes of the components.
///
/// O(n log n) in a rank's particles n, plus the pairs tested; in phase space these may be all pairs
/// of neighbouring cells. Memory beyond the input and its labels (Real = float): 8 bytes per
/// particle on one rank, at most 56 on several (68 in phase space), and about 60 per particle of a
/// slab.

#include "../measured_linking.hpp"

namespace copse::fof {

struct GroupDifferences {
  Count above_own_row = 0;  ///< labels above the particle's own index
  Count torn = 0;           ///< labels unlike that of a particle in the same component
  Count unlike = 0;         ///< labels unlike the smallest index of the component
  Count components = 0;     ///< of all ranks
};

/// Compares `labels` of this rank's linked particles with the components of the friendship graph of
/// all ranks' particles. Counts are of particles whose layers this rank owns, except that `torn`
/// includes its copies and `components` covers all ranks. Collective.
/// \throws InputError if a rank's layers hold 2^32 particles or more
GroupDifferences compare_groups(const Communicator& comm, const LinkedInput& input,
                                const GlobalLabels<Kokkos::HostSpace>& labels,
                                Count slab_particles = Count{1} << 24);

}  // namespace copse::fof
