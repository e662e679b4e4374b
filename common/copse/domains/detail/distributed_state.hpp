#pragma once
/// \file
/// What a build of a tree over ranks knows and holds between its steps, and what several of the
/// ways do. The ways are reshuffle_global.hpp and reshuffle_once.hpp, and distributed_build.hpp
/// puts them together.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/communicator.hpp>
#include <copse/domains/collective_clock.hpp>
#include <copse/domains/detail/cell_exchange.hpp>
#include <copse/domains/detail/distributed_level.hpp>
#include <copse/domains/detail/distributed_rows.hpp>
#include <copse/domains/detail/own_builders.hpp>
#include <copse/domains/detail/own_cells.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/domains/leaf_ownership.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <utility>
#include <vector>

namespace copse::detail {

/// `Row` says whether the tree is by weight.
template <class ExecutionSpace, class Row>
struct DistributedState {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Weight = decltype(weights_of(static_cast<const Row*>(nullptr)));

  ExecutionSpace space;
  const Communicator& world;
  Workspace<MemorySpace>& workspace;
  OwnBuilders<ExecutionSpace>& builders;
  DistributedCost& cost;
  CollectiveClock clock = {};
  LeafOwnership ownership = {};
  OrbPolicy policy = {};
  OrbTree<MemorySpace> tree = {};
  RowSet<MemorySpace, Row> rows = {};
  std::vector<LocalCell> cells = {};  ///< whose rows are `rows`
  std::vector<LocalCell> known = {};  ///< every cell this rank's groups have cut or made
  std::vector<OwnCell<MemorySpace, Row>> own = {};  ///< cells that this rank has to itself
  bool rows_on_their_way = false;                   ///< see rows_are_here

  LevelContext<ExecutionSpace, Row> context(const Communicator& comm) {
    return {space, policy, tree.cells, workspace, rows, comm, clock};
  }

  /// A search for cuts of cells whose parts are on the ranks of `comm`.
  template <class Counting = CountInSegments<MemorySpace>>
  HistogramCuts<MemorySpace, Weight, Counting> shared_search(const Communicator& comm) {
    HistogramCuts<MemorySpace, Weight, Counting> search;
    search.weight = [this] { return weights_of(static_cast<const Row*>(rows.row.data())); };
    search.reduce = [this, &comm](const auto& histogram) {
      cost.bytes_reduced += histogram.span() * sizeof(Count);
      clock.communicate(comm, [&] { comm.allreduce(histogram, Reduction::sum); });
    };
    return search;
  }

  template <class Search>
  void remember_rounds(const Search& search) {
    cost.rounds_per_level.insert(cost.rounds_per_level.end(), search.rounds_per_level.begin(),
                                 search.rounds_per_level.end());
  }

  void exchange(const Communicator& comm, int first) {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::exchange");
    cost.particle_bytes_sent +=
        exchange_cells(space, comm, first, ownership, cells, rows, workspace, clock);
    ++cost.exchanges;
  }

  bool is_shared(const LocalCell& cell) const {
    const RankRange ranks = ownership.ranks_of(cell.leaves);
    return ranks.first < ranks.last;
  }

  /// Completes the exchange of what belongs to the points, if there is one. Collective.
  void rows_are_here() {
    if (!std::exchange(rows_on_their_way, false)) return;
    clock.complete([&] { world.finish_alltoallv(); });
  }
};

}  // namespace copse::detail
