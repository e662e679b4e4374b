#pragma once
/// \file
/// Cuts cells that lie on several ranks while all rows stay where they are, until every row can be
/// brought to its cell at once.
///
/// A level costs three or more passes that read a row's coordinates (walked_histogram.hpp), and one
/// more where the histograms do not say what lies beside the cuts (walked_level.hpp); cut_cells
/// also moves the row. The final move is a multiway partition into at most 64 cells.

#include <copse/domains/collective_clock.hpp>
#include <copse/domains/detail/distributed_level.hpp>
#include <copse/domains/detail/distributed_rows.hpp>
#include <copse/domains/detail/walked_level.hpp>
#include <copse/tree/cell_places.hpp>
#include <copse/tree/decision_tree.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <vector>

namespace copse::detail {

template <class ExecutionSpace>
class UnmovedCuts {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  using LevelT = TreeLevel<MemorySpace, OrbPolicy>;
  using Key = typename LevelT::Key;
  using Shared = SharedSummary<MemorySpace, Key>;

  UnmovedCuts(const ExecutionSpace& space, const OrbPolicy& policy,
              const Kokkos::View<OrbCell*, MemorySpace>& heap, const Points<3, MemorySpace>& points,
              Workspace<MemorySpace>& workspace)
      : space_(space), policy_(policy), heap_(heap), points_(points), workspace_(workspace) {}

  /// Cuts those of `cells`, the frontier, for which `to_cut` says so. Returns the next frontier;
  /// its cells' rows are not known before `move`. `search` is a HistogramCuts that counts by
  /// walking. Collective over `comm`, whose ranks must have the same cells.
  template <class Search>
  std::vector<LocalCell> cut(const Communicator& comm, CollectiveClock& clock,
                             const std::vector<LocalCell>& cells,
                             const std::function<bool(const LocalCell&)>& to_cut, Search& search) {
    std::vector<std::uint32_t> slots;
    std::vector<std::uint8_t> flags;
    for (const LocalCell& cell : cells) {
      flags.push_back(to_cut(cell) ? 1 : 0);
      if (flags.back()) slots.push_back(cell.slot);
    }
    const Count n = slots.size();
    LevelT level;
    level.policy = policy_;
    level.cells = heap_;
    level.rows = rows();
    // As many as there are cells, but no ranges of rows.
    level.segments = workspace_.template get<Segment>("distributed::segments", n);
    level.active = upload(space_, slots, workspace_, "distributed::active");
    level.ranks = workspace_.template get<Count>("distributed::ranks", n);
    level.threshold = workspace_.template get<Key>("distributed::threshold", n);
    const auto every =
        upload(space_, std::vector<std::uint8_t>(n, 1), workspace_, "distributed::to_cut");
    Kokkos::parallel_for("copse::distributed::prepare", Range(space_, 0, n),
                         PrepareSharedCuts<LevelT>{level, every});
    search.counting.walk = decisions(cells, flags);
    search(space_, search.counting.walk, level, workspace_);

    const Shared summary{workspace_.template get<Count>("distributed::left", n),
                         workspace_.template get<Key>("distributed::left_max", n),
                         workspace_.template get<Key>("distributed::right_min", n)};
    // All ranks have the same histograms, so all know it or none.
    if (!search.summarize(space_, level, summary, workspace_))
      count_sides(comm, clock, search.counting.walk, level, summary);
    Kokkos::parallel_for("copse::distributed::split", Range(space_, 0, n),
                         SplitSharedCells<LevelT, Shared>{level, summary, every});
    space_.fence("copse::distributed::split");
    return children(cells, flags, download(summary.left));
  }

  /// Where all rows go that are moved to `cells`, the frontier, in their order.
  CellPlaces<MemorySpace> places(const std::vector<LocalCell>& cells) {
    return find_places(space_, decisions(cells), static_cast<std::uint32_t>(cells.size()),
                       workspace_, "distributed");
  }

  /// Bytes of the workspace that `places` takes.
  static Count workspace_bytes(Count rows, std::size_t cells) { return place_bytes(rows, cells); }

 private:
  Count rows() const { return points_.extent(0); }

  /// What lies on either side of the cuts, by one more pass over the rows.
  void count_sides(const Communicator& comm, CollectiveClock& clock, const DecisionTree& from_root,
                   const LevelT& level, const Shared& summary) const {
    Kokkos::parallel_for("copse::distributed::begin_summary",
                         Range(space_, 0, level.active.extent(0)), BeginSummary<Shared>{summary});
    for_each_tile("copse::distributed::walked_summary", space_, walked_tiles(rows()),
                  WalkedSummaryTile<ExecutionSpace, LevelT, Shared>{from_root, level, summary});
    space_.fence("copse::distributed::summary");
    clock.communicate(comm, [&] {
      comm.allreduce(summary.left, Reduction::sum);
      comm.allreduce(summary.left_max, Reduction::max);
      comm.allreduce(summary.right_min, Reduction::min);
    });
  }

  /// The decision tree down to `cells`, of which `wanted` are to be cut next.
  DecisionTree decisions(const std::vector<LocalCell>& cells,
                         const std::vector<std::uint8_t>& wanted = {}) {
    std::vector<std::uint32_t> frontier;
    for (const LocalCell& cell : cells) frontier.push_back(cell.slot);
    return make_decision_tree(space_, decision_nodes(frontier, wanted), heap_, points_, workspace_,
                              "distributed::walk");
  }

  std::vector<LocalCell> children(const std::vector<LocalCell>& cells,
                                  const std::vector<std::uint8_t>& flags,
                                  const std::vector<Count>& left) const {
    std::vector<LocalCell> next;
    std::size_t cut = 0;
    for (std::size_t s = 0; s < cells.size(); ++s) {
      const LocalCell& cell = cells[s];
      if (!flags[s]) {
        next.push_back(cell);
        continue;
      }
      const std::uint32_t left_count = left_leaves(cell.leaves.count, policy_.rule);
      next.push_back({2 * cell.slot, {cell.leaves.first, left_count}, left[cut], {}});
      next.push_back({2 * cell.slot + 1,
                      {cell.leaves.first + left_count, cell.leaves.count - left_count},
                      cell.particles - left[cut],
                      {}});
      ++cut;
    }
    return next;
  }

  ExecutionSpace space_;
  OrbPolicy policy_;
  Kokkos::View<OrbCell*, MemorySpace> heap_;
  Points<3, MemorySpace> points_;
  Workspace<MemorySpace>& workspace_;
};

}  // namespace copse::detail
