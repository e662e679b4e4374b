#pragma once
/// \file
/// New positions of ghosts that stay the same for several steps.
///
/// Messages, buffers and persistent requests are made once for each choice of ghosts. Positions are
/// read from and written to the method's own rows. A method may reorder its rows: every row that is
/// read or written is checked by its tag, and all are looked for again if one has moved far.

#include "../state.hpp"
#include <copse/backend/mpi/neighbour_exchange.hpp>
#include <copse/domains/collective_clock.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <Kokkos_UnorderedMap.hpp>

#include <memory>

namespace copse::collide {

template <int D, class ExecutionSpace>
class GhostRefresh {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Tags = Kokkos::View<const Tag*, Kokkos::LayoutLeft, MemorySpace>;

  struct Place {
    double x[D];
  };

  explicit GhostRefresh(const ExecutionSpace& space) : space_(space) {}

  /// `sent` are the tags of the particles in the order of the plan, `ghosts` those of the ghosts.
  /// Collective.
  void set_up(const Communicator& comm, const ExchangePlan& plan, const Tags& sent,
              const Tags& ghosts);

  /// Sends the positions of this rank's particles in `state`. Involves neighbours only.
  void start(const State<D, MemorySpace>& state, CollectiveClock& clock);
  /// Waits for those of its ghosts and writes them to the same rows. \return the seconds between
  /// `start` and the call, while messages were in flight; a device may still compute
  double finish(const State<D, MemorySpace>& state, CollectiveClock& clock);

 private:
  using RowsOf = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

  void find_rows(const State<D, MemorySpace>& state);

  ExecutionSpace space_;
  std::unique_ptr<NeighbourExchange<Place, MemorySpace>> messages_;
  Tags sent_, ghosts_;
  RowsOf sent_rows_, ghost_rows_;  ///< where they were last
  Kokkos::Timer in_flight_;
  Kokkos::UnorderedMap<Tag, LocalIndex, typename ExecutionSpace::device_type> row_of_;
};

}  // namespace copse::collide
