#pragma once
/// \file
/// Sends copies of particles to the ranks that need them, each time ghosts are chosen. In other
/// steps only their positions are sent (ghost_refresh.hpp).
///
/// Ghosts come from every rank whose domain is within reach, so a domain may be thinner than the
/// reach. They keep their coordinates; pairs are tested with the nearest image.

#include "domains.hpp"
#include "ghost_lists.hpp"
#include "records.hpp"
#include <copse/domains/counted_messages.hpp>
#include <copse/domains/ghosts.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::collide {

enum class GhostMessages : std::uint8_t {
  all,   ///< every ghost with its tag: one message per neighbour
  delta  ///< new, moved and deleted ghosts: up to three messages per neighbour
};

/// What a rank has been told to delete: places in the list of ghosts of each rank.
struct DeletedGhosts {
  std::vector<std::vector<LocalIndex>> of_rank;
};

template <int D, class ExecutionSpace>
class GhostExchange {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  GhostExchange(const ExecutionSpace& space, GhostMessages kind) : space_(space), kind_(kind) {}

  /// Forgets all ghosts and lists. Collective. `sizes`: particles have sizes of their own.
  void reset(int ranks, bool sizes);

  /// Chooses which of the rank's own particles go to which neighbour and agrees on numbers.
  /// `own` is not changed. Collective. \return the number of ghosts that this rank gets
  Count choose(const State<D, MemorySpace>& own, const std::vector<Neighbour>& neighbours,
               const WithinReach<D>& needs, CountedMessages& messages);

  /// How many particles go to and come from each rank, and the tags of those that go, in order.
  ExchangePlan whole_plan() const;
  Kokkos::View<const Tag*, Kokkos::LayoutLeft, MemorySpace> sent_tags(
      const State<D, MemorySpace>& own);

  /// Sends the chosen particles. The ghosts become the rows of `all` after the `own` first ones; a
  /// ghost's velocity is zero. Collective.
  void exchange(const State<D, MemorySpace>& all, Count own, CountedMessages& messages);

 private:
  using Words = RecordWords<MemorySpace>;
  using Rows = RowNumbers<MemorySpace>;

  /// For `delta`: compares the chosen ghosts with the lists of the last choice, sends the new and
  /// deleted ones, and plans the message of moved ones.
  Count choose_changes(const State<D, MemorySpace>& own, const DestinationOrder<MemorySpace>& order,
                       CountedMessages& messages);
  /// Applies the changes of all neighbours to the lists held here.
  void apply(const DeletedGhosts& deleted, const ExchangePlan& added, const RecordColumns& columns);
  Words send(const std::string& name, const State<D, MemorySpace>& from, const Rows& rows,
             const RecordColumns& columns, const ExchangePlan& plan, CountedMessages& messages);

  ExecutionSpace space_;
  GhostMessages kind_;
  bool sizes_ = false;
  Workspace<MemorySpace> workspace_;
  ExchangePlan plan_;  ///< of all ghosts, or of moved ones
  Rows rows_;          ///< the particles that are sent by it
  // For `delta`, lists by rank:
  std::vector<std::vector<Tag>> sent_;                 ///< ids, ascending
  std::vector<std::vector<Tag>> held_;                 ///< the same
  std::vector<std::vector<double>> size_;              ///< of the held ghosts
  std::vector<Count> theirs_;                          ///< length of held_ as the sender knows it
  Words new_words_;                                    ///< records of new ghosts
  std::vector<LocalIndex> moved_places_, new_places_;  ///< among all ghosts of this rank
};

}  // namespace copse::collide
