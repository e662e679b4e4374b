#pragma once
/// \file
/// Gives each rank the particles of a region of space, and brings their labels back.
///
/// Domains are the leaves of an ORB with as many leaves as ranks: equal numbers of particles,
/// whatever their clustering, in boxes with little surface. The tree is on every rank, and left of
/// a cut lies exactly what is at or below it, so the rank that sends a particle finds its domain by
/// descending: nobody has to tell where particles went.

#include "../linker.hpp"
#include "counted_messages.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/destination_order.hpp>
#include <copse/tree/distributed_orb.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

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

  Count size() const { return position.extent(0); }
};

template <class ExecutionSpace>
class DomainExchange {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  using Numbers = Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace>;

  DomainExchange(const Communicator& comm, const ExecutionSpace& space)
      : space_(space), builder_(comm, space) {}

  /// Sends the particles of all ranks to their domains; `box` holds them all. Collective. A
  /// particle travels once: 12 bytes of position (Real = float), 8 of id, 12 of velocity. The
  /// arrays of the result are good until the next call.
  Domain<MemorySpace> distribute(const LinkProblem<MemorySpace>& particles, const Box<3>& box,
                                 CountedMessages& messages);

  /// Takes a number for each particle of the domain, a label or a count of members, to where the
  /// particle came from. Collective; 8 bytes a particle.
  void bring_back(const Numbers& of_domain, const Numbers& mine, CountedMessages& messages);

  /// What cutting the domains has cost, beside what `messages` counted.
  const DistributedCost& cost() const { return builder_.cost(); }

 private:
  ExecutionSpace space_;
  DistributedOrbBuilder<ExecutionSpace> builder_;
  Workspace<MemorySpace> workspace_;
  DestinationOrder<MemorySpace> order_;  ///< this rank's particles by domain
  ExchangePlan plan_;                    ///< from there to the domains
};

}  // namespace copse::fof
