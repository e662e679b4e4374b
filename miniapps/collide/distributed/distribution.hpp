#pragma once
/// \file
/// Particles by owner, with ghosts: a rank has the particles in its domain and copies of those that
/// other ranks have within a reach of it.
///
/// A particle goes to the owner of its position, which may be any rank.

#include "../request.hpp"
#include "domains.hpp"
#include "ghost_exchange.hpp"
#include "rank_cost.hpp"
#include <copse/backend/mpi/communicator.hpp>

#include <utility>
#include <vector>

namespace copse::collide {

/// All methods but the queries are collective. Bytes and migrants are added to `cost`.
template <int D, class ExecutionSpace>
class Distribution {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// `request` says which domains, and how ghosts are sent.
  Distribution(const ExecutionSpace& space, const Region<D>& region, const Request& request,
               CountedMessages& messages, RankCost& cost);

  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;

  /// Forgets all particles. Ghosts are those within `reach` of a domain. `sizes`: do particles have
  /// sizes of their own?
  void reset(double reach, bool sizes, double largest_size);
  /// Makes domains for the particles of `state`.
  void cut_domains(const State<D, MemorySpace>& state);
  /// Sends the particles of `from` to their owners, and ghosts; drops the ghosts among them.
  /// \return this rank's particles, then its ghosts; valid until the next call
  State<D, MemorySpace> distribute(const State<D, MemorySpace>& from);

  /// This rank's particles and the number of its ghosts after the last `distribute`.
  State<D, MemorySpace> own() const { return first_rows(own_count_); }
  Count ghosts() const { return ghost_count_; }
  Kokkos::View<const Tag*, Kokkos::LayoutLeft, MemorySpace> ghost_tags() const {
    return Kokkos::subview(room_.tag, std::pair(own_count_, own_count_ + ghost_count_));
  }
  /// Where own particles and ghosts are after `distribute`, with a margin of `moves` for their
  /// moves until the next: the domain and its surroundings in the region.
  Part<D> part(double moves) const;
  GhostExchange<D, ExecutionSpace>& exchange() { return ghosts_; }

 private:
  /// \return the number of particles that arrived
  Count migrate(const State<D, MemorySpace>& from, Count stay, Count leave);
  void reserve(Count rows, Count keep);
  State<D, MemorySpace> first_rows(Count count) const;

  ExecutionSpace space_;
  Region<D> region_;
  CountedMessages& messages_;
  RankCost& cost_;
  bool orb_;
  OrbDomains<D, ExecutionSpace> cutter_;
  GhostExchange<D, ExecutionSpace> ghosts_;
  Workspace<MemorySpace> workspace_;
  Owner<D, MemorySpace> owner_;
  BoxBound<3> domain_;
  std::vector<Neighbour> neighbours_;
  WithinReach<D> needs_;
  bool sizes_ = false;
  Count own_count_ = 0, ghost_count_ = 0;
  State<D, MemorySpace> room_;  ///< own particles, ghosts, free space
};

/// This rank's share of all particles and the ghosts within `reach` of it, without sizes: every
/// pair within `reach` is on a rank that owns one of the two. Collective.
template <int D, class ExecutionSpace>
State<D, Kokkos::HostSpace> with_ghosts(const Communicator& comm, const ExecutionSpace& space,
                                        const Request& request, const Region<D>& region,
                                        State<D, typename ExecutionSpace::memory_space> state,
                                        double reach);

}  // namespace copse::collide
