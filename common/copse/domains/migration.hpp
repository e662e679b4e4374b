#pragma once
/// \file
/// Moves particles to the rank that owns their region of space, and returns results to their
/// origin.
///
/// Domains are the leaves of an ORB with one leaf per rank (sample_domains.hpp). Every rank has the
/// whole tree, and the left child of a cut contains exactly the particles at or below it, so the
/// sender finds a particle's owner by descending the tree. A particle is sent directly to its
/// owner, at any distance.

#include <copse/algorithms/workspace.hpp>
#include <copse/domains/counted_messages.hpp>
#include <copse/domains/sample_domains.hpp>
#include <copse/tree/rows_by_leaf.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace copse {

/// The particles of one rank's domain, in input order: `id`, the global index, ascends.
template <class MemorySpace>
struct Domain {
  Points<3, MemorySpace> position;
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace> id;
  /// The same positions followed by free space for ghosts, which avoids a copy in most runs.
  Points<3, MemorySpace> position_room;

  Count size() const { return position.extent(0); }
};

/// The first n of some points; shares their memory.
template <class MemorySpace>
Points<3, MemorySpace> first_points(const Points<3, MemorySpace>& points, Count n) {
  return Kokkos::subview(points, std::pair(Count{0}, n), Kokkos::ALL);
}

struct DomainOptions {
  Count sample_rows = default_sample_rows;  ///< sampled particles per rank
  Count ghost_room = 16;  ///< free space for ghosts is the domain's particle count divided by this
  bool narrow_numbers = true;  ///< results return in 32 bits if all global indices fit
};

template <class ExecutionSpace>
class Migration {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Numbers = Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace>;

  Migration(const Communicator& comm, const ExecutionSpace& space)
      : space_(space), builder_(comm, space), by_leaf_(space) {}

  /// Cuts domains and sends every particle of all ranks to its domain; `box` contains all
  /// positions. Collective. Sends 12 bytes of position (Real = float) and 4 of index per particle.
  /// The result's arrays are valid until the next call.
  /// \throws InputError if a domain would hold more than max_particles_per_rank
  Domain<MemorySpace> move(const Points<3, MemorySpace>& position, const Box<3>& box,
                           CountedMessages& messages, const DomainOptions& options = {});

  /// Sends another column [n][3] of the same particles the same way. Collective. \return the column
  /// with free space, as Domain::position_room; valid until the next call with this name
  Points<3, MemorySpace> move_along(const std::string& name, const Points<3, MemorySpace>& column,
                                    CountedMessages& messages);

  /// Returns one number per particle of the domain, at most the total number of particles, to the
  /// rank and index that the particle came from. Collective; 4 bytes per particle, 8 from 2^32
  /// particles in total on.
  void bring_back(const Numbers& of_domain, const Numbers& mine, CountedMessages& messages);

  /// Cost of cutting the domains, which `messages` does not count.
  const DistributedCost& cost() const { return builder_.cost(); }

  /// Bytes on one of `ranks` ranks with `rows` particles before and after, and `columns` columns
  /// [n][3], positions included.
  static Count estimate_bytes(Count rows, int ranks, Count columns);

 private:
  OrbTree<MemorySpace> cut(const Points<3, MemorySpace>& position,
                           const std::vector<GlobalId>& first_row, const Box<3>& box,
                           CountedMessages& messages, const DomainOptions& options);
  Points<3, MemorySpace> points(const std::string& name, Count rows);
  template <class NumbersSent>
  void take_back(const NumbersSent& of_domain, const Numbers& mine, CountedMessages& messages);

  ExecutionSpace space_;
  DistributedOrbBuilder<ExecutionSpace> builder_;
  Workspace<MemorySpace> workspace_;
  RowsByLeaf<ExecutionSpace> by_leaf_;  ///< this rank's particles, by domain
  ExchangePlan plan_;                   ///< to the domains
  Count room_ = 0;                      ///< extent of a column with free space
  Count total_ = 0;                     ///< particles of all ranks
  bool narrow_ = false;                 ///< global indices fit in 32 bits
};

}  // namespace copse
