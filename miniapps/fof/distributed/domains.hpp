#pragma once
/// \file
/// Gives each rank the particles of a region of space, and brings their labels back.
///
/// Domains are the leaves of an ORB with as many leaves as ranks, in boxes with little surface. The
/// tree is on every rank, and left of a cut lies exactly what is at or below it, so the rank that
/// sends a particle finds its domain by descending: nobody has to tell where particles went.
///
/// Labels do not depend on domains, so cuts need not be exact: the tree is cut from a sample
/// (domain_sample.hpp) of m rows for each rank. A domain gets a share of all particles whose
/// standard deviation is at most 1 / sqrt(m) of it, as if the rows had been drawn independently:
/// 0.2 % with the usual 2^18. Particles that lie in one place are in one domain, however many.

#include "../linker.hpp"
#include "counted_messages.hpp"
#include "domain_sample.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/tree/rows_by_leaf.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace copse::fof {

/// labels(i) is the smallest row, in the order of all ranks, of the group of this rank's particle
/// i.
template <class MemorySpace>
using GlobalLabels = Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace>;

/// members(i) is the number of particles, of all ranks, in the group of this rank's particle i.
template <class MemorySpace>
using GroupSizes = Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>;

/// Both, of this rank's particles.
template <class MemorySpace>
struct CountedGroups {
  GlobalLabels<MemorySpace> labels;
  GroupSizes<MemorySpace> members;
};

/// The particles of one rank's domain, in the order of the input: `id`, the row in the order of all
/// ranks, ascends.
template <class MemorySpace>
struct Domain {
  Points<3, MemorySpace> position;
  Points<3, MemorySpace> velocity;  ///< of no rows in 3-D
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace> id;
  /// The same columns with room for ghosts behind the particles, to spare most runs a copy of all.
  Points<3, MemorySpace> position_room;
  Points<3, MemorySpace> velocity_room;

  Count size() const { return position.extent(0); }
};

/// The first n of some points, column by column where they are.
template <class MemorySpace>
Points<3, MemorySpace> first_points(const Points<3, MemorySpace>& points, Count n) {
  return Kokkos::subview(points, std::pair(Count{0}, n), Kokkos::ALL);
}

struct DomainOptions {
  Count sample_rows = default_sample_rows;  ///< for each rank, from which the domains are cut
  Count ghost_room = 16;       ///< room for ghosts is the domain's rows divided by that
  bool narrow_numbers = true;  ///< numbers go back in 32 bits where all rows can be so numbered
};

template <class ExecutionSpace>
class DomainExchange {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  using Numbers = Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace>;

  DomainExchange(const Communicator& comm, const ExecutionSpace& space)
      : space_(space), builder_(comm, space), by_leaf_(space) {}

  /// Sends the particles of all ranks to their domains; `box` holds them all. Collective. A
  /// particle travels once: 12 bytes of position (Real = float), 4 of its row on the rank that had
  /// it, 12 of velocity. The arrays of the result are good until the next call.
  /// \throws InputError if a domain would hold more than max_particles_per_rank
  Domain<MemorySpace> distribute(const LinkProblem<MemorySpace>& particles, const Box<3>& box,
                                 CountedMessages& messages, const DomainOptions& options = {});

  /// Takes a number for each particle of the domain, a label or a count of members, neither above
  /// the number of all particles, to where the particle came from. Collective; 4 bytes a particle,
  /// or 8 if there are 2^32 of all ranks.
  void bring_back(const Numbers& of_domain, const Numbers& mine, CountedMessages& messages);

  /// What cutting the domains has cost, beside what `messages` counted.
  const DistributedCost& cost() const { return builder_.cost(); }

  /// Bytes on one of `ranks` ranks with `rows` particles, and as many in its domain.
  static Count estimate_bytes(Count rows, int ranks, bool velocities);

 private:
  OrbTree<MemorySpace> cut(const Points<3, MemorySpace>& position,
                           const std::vector<GlobalId>& first_row, const Box<3>& box,
                           CountedMessages& messages, const DomainOptions& options);
  template <class NumbersSent>
  void take_back(const NumbersSent& of_domain, const Numbers& mine, CountedMessages& messages);

  ExecutionSpace space_;
  DistributedOrbBuilder<ExecutionSpace> builder_;
  Workspace<MemorySpace> workspace_;
  RowsByLeaf<ExecutionSpace> by_leaf_;  ///< this rank's particles by domain
  ExchangePlan plan_;                   ///< from there to the domains
  Count total_ = 0;                     ///< particles of all ranks
  bool narrow_ = false;                 ///< whether 32 bits hold any number up to it
};

}  // namespace copse::fof
