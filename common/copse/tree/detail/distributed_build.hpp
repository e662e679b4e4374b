#pragma once
/// \file
/// One build of a tree over ranks, from a rank's particles to its part of the result; the two ways
/// and their invariants are those of distributed_orb.hpp.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/communicator.hpp>
#include <copse/tree/detail/cell_exchange.hpp>
#include <copse/tree/detail/collective_clock.hpp>
#include <copse/tree/detail/distributed_level.hpp>
#include <copse/tree/detail/distributed_rows.hpp>
#include <copse/tree/detail/own_builders.hpp>
#include <copse/tree/detail/own_cells.hpp>
#include <copse/tree/distributed_orb.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/leaf_ownership.hpp>
#include <copse/tree/orb_policy.hpp>
#include <copse/tree/orb_root.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {

/// A cell of the heap on its way to the other ranks.
struct SentCell {
  std::uint32_t slot;
  OrbCell cell;
};

inline bool has_open(const std::vector<LocalCell>& cells) {
  for (const LocalCell& cell : cells)
    if (cell.leaves.count > 1) return true;
  return false;
}

/// One build. `Row` says whether it is by weight.
template <class ExecutionSpace, class Row>
class DistributedBuild {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Weight = decltype(weights_of(static_cast<const Row*>(nullptr)));
  static constexpr bool weighted = Weight::weighted;

  DistributedBuild(const ExecutionSpace& space, const Communicator& world,
                   Workspace<MemorySpace>& workspace, OwnBuilders<ExecutionSpace>& builders,
                   DistributedCost& cost)
      : space_(space), world_(world), workspace_(workspace), builders_(builders), cost_(cost) {}

  DistributedOrb<MemorySpace> run(const DistributedPoints<MemorySpace>& points,
                                  const OrbOptions& options, Reshuffle reshuffle) {
    clock_.start();
    ownership_ = {options.leaves, world_.size()};
    policy_ = OrbPolicy{options.rule, options.axis_rule, options.first_axis};
    begin(points);
    Count particles = rows_.size();
    clock_.communicate(world_, [&] { particles = world_.allreduce(particles, Reduction::sum); });
    tree_ = rooted_orb_tree(space_, particles, options);
    cells_ = {{1, {0, options.leaves}, particles, {0, rows_.size()}}};
    if (reshuffle == Reshuffle::local) {
      cut_in_place();
    } else {
      cut_in_groups();
      finish_alone();
      share_cells();
    }
    DistributedOrb<MemorySpace> result = end();
    clock_.stop();
    cost_.compute_seconds = clock_.compute_seconds();
    cost_.communicate_seconds = clock_.communicate_seconds();
    cost_.wait_seconds = clock_.wait_seconds();
    return result;
  }

 private:
  void begin(const DistributedPoints<MemorySpace>& points) {
    const Count n = points.position.extent(0);
    rows_ = room_for_rows<MemorySpace, Row>(workspace_, 0, n);
    spare_ = room_for_rows<MemorySpace, Row>(workspace_, 1, n);
    Kokkos::parallel_for(
        "copse::distributed::begin", Kokkos::RangePolicy<ExecutionSpace>(space_, 0, n),
        PackRows<MemorySpace, Row>{points.position, points.id, points.weight, rows_});
  }

  LevelContext<ExecutionSpace, Row> context(const Communicator& comm) {
    return {space_, policy_, tree_.cells, workspace_, rows_, spare_, comm, clock_};
  }

  /// A search for cuts of cells whose parts are on the ranks of `comm`.
  HistogramCuts<MemorySpace, Weight> shared_search(const Communicator& comm) {
    HistogramCuts<MemorySpace, Weight> search;
    search.weight = [this] { return weights_of(static_cast<const Row*>(rows_.row.data())); };
    search.reduce = [this, &comm](const auto& histogram) {
      cost_.bytes_reduced += histogram.span() * sizeof(Count);
      clock_.communicate(comm, [&] { comm.allreduce(histogram, Reduction::sum); });
    };
    return search;
  }

  void remember_rounds(const HistogramCuts<MemorySpace, Weight>& search) {
    cost_.rounds_per_level.insert(cost_.rounds_per_level.end(), search.rounds_per_level.begin(),
                                  search.rounds_per_level.end());
  }

  void exchange(const Communicator& comm, int first) {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::exchange");
    cost_.particle_bytes_sent +=
        exchange_cells(space_, comm, first, ownership_, cells_, rows_, spare_, workspace_, clock_);
    ++cost_.exchanges;
  }

  /// Local reshuffling: all levels with the particles where they are, then one exchange.
  void cut_in_place() {
    {
      const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
      auto search = shared_search(world_);
      while (has_open(cells_))
        cells_ = cut_cells(
            context(world_), cells_, [](const LocalCell& cell) { return cell.leaves.count > 1; },
            search);
      remember_rounds(search);
    }
    exchange(world_, 0);
  }

  /// Global reshuffling, until this rank shares no cell with another.
  void cut_in_groups() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
    known_ = cells_;
    if (world_.size() == 1) set_own_cells_aside(0);
    std::optional<Communicator> split;
    int first = 0;
    for (const Communicator* group = &world_; group->size() > 1;) {
      if (has_open(cells_)) {
        auto search = shared_search(*group);
        cells_ = cut_cells(
            context(*group), cells_, [](const LocalCell& cell) { return cell.leaves.count > 1; },
            search);
        remember_rounds(search);
        known_.insert(known_.end(), cells_.begin(), cells_.end());
      }
      exchange(*group, first);
      const int me = first + group->rank();
      set_own_cells_aside(me);
      const int color = keep_connected_cells(me, group->size());
      Communicator next = group->split(color, me);
      // A rank that shares no cell goes on alone.
      first = cells_.empty() ? me : ownership_.ranks_of(cells_.front().leaves).first;
      split.emplace(std::move(next));
      group = &*split;
    }
  }

  bool is_shared(const LocalCell& cell) const {
    const RankRange ranks = ownership_.ranks_of(cell.leaves);
    return ranks.first < ranks.last;
  }

  /// Takes the rows of this rank's own cells out of those that are still worked on, so that cells
  /// that are shared for long do not carry them along. Leaves the shared cells of the group.
  void set_own_cells_aside(int me) {
    std::vector<LocalCell> shared;
    Count rows = 0;
    for (const LocalCell& cell : cells_) {
      if (is_shared(cell)) {
        shared.push_back(cell);
        rows += cell.rows.size();
      } else if (ownership_.owner(cell.leaves.first) == me) {
        const int set = 2 + static_cast<int>(own_.size());
        own_.push_back({cell, room_for_rows<MemorySpace, Row>(workspace_, set, cell.rows.size())});
        copy_rows(space_, cell.rows, rows_, own_.back().rows, 0);
      }
    }
    spare_ = room_for_rows<MemorySpace, Row>(workspace_, spare_.set, rows);
    Count begin = 0;
    for (LocalCell& cell : shared) {
      copy_rows(space_, cell.rows, rows_, spare_, begin);
      cell.rows = {begin, begin + cell.rows.size()};
      begin = cell.rows.end;
    }
    space_.fence("copse::distributed::set_aside");
    std::swap(rows_, spare_);
    spare_ = room_for_rows<MemorySpace, Row>(workspace_, spare_.set, rows);
    cells_ = std::move(shared);
  }

  /// Keeps the cells of the run of ranks around `me` that share cells with their neighbours.
  /// Returns a number that is the same for all ranks of that run and no others of the group.
  int keep_connected_cells(int me, int ranks) {
    std::vector<LocalCell> mine;
    RankRange run{-1, -1};
    bool found = false;
    for (const LocalCell& cell : cells_) {
      const RankRange owners = ownership_.ranks_of(cell.leaves);
      if (owners.first > run.last) {
        if (found) break;
        run = owners;
        mine.clear();
      }
      run.last = owners.last;
      mine.push_back(cell);
      found = found || run.contains(me);
    }
    if (!found) mine.clear();
    cells_ = std::move(mine);
    // No run starts at a rank without cells, so adding the ranks keeps the two kinds apart.
    return found ? run.first : me + ranks;
  }

  /// Cuts the cells that only this rank has, and puts all its rows together.
  void finish_alone() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::own_levels");
    std::sort(own_.begin(), own_.end(), [](const auto& a, const auto& b) {
      return a.cell.leaves.first < b.cell.leaves.first;
    });
    Count n = 0;
    for (const auto& own : own_) n += own.rows.size();
    rows_ = room_for_rows<MemorySpace, Row>(workspace_, rows_.set, n);
    Count begin = 0;
    for (const auto& own : own_) {
      const Count rows = own.rows.size();
      if (own.cell.leaves.count == 1)
        copy_rows(space_, {0, rows}, own.rows, rows_, begin);
      else
        finish_cell(space_, own, builders_, tree_.cells, policy_, workspace_, rows_, begin);
      begin += rows;
    }
    space_.fence("copse::distributed::own_levels");
  }

  /// Gives every rank all cells. A cell that was shared is told by the owner of its first leaf, who
  /// has been there when the cell was made and when it was cut; one that was not, by its rank.
  void share_cells() {
    const auto heap = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree_.cells);
    std::vector<SentCell> told;
    for (const LocalCell& cell : known_)
      if (is_shared(cell) && ownership_.owner(cell.leaves.first) == world_.rank())
        told.push_back({cell.slot, heap(cell.slot)});
    for (const auto& own : own_)
      for (std::uint32_t k = 1; k < std::uint32_t{2} << orb_depth(own.cell.leaves.count); ++k) {
        const std::uint32_t slot = grafted_slot(own.cell.slot, k);
        if (heap(slot).leaves > 0) told.push_back({slot, heap(slot)});
      }
    std::vector<SentCell> all;
    clock_.communicate(world_, [&] { all = world_.allgatherv(std::span<const SentCell>(told)); });
    for (const SentCell& sent : all) heap(sent.slot) = sent.cell;
    Kokkos::deep_copy(tree_.cells, heap);
  }

  DistributedOrb<MemorySpace> end() {
    const Count n = rows_.size();
    DistributedOrb<MemorySpace> result;
    result.tree = tree_;
    result.points.position = rows_.points;
    result.points.id = workspace_.template get<GlobalId>("distributed::id", n);
    if (weighted)
      result.points.weight = workspace_.template get<std::uint32_t>("distributed::weight", n);
    Kokkos::parallel_for(
        "copse::distributed::end", Kokkos::RangePolicy<ExecutionSpace>(space_, 0, n),
        UnpackRows<MemorySpace, Row>{rows_.row, result.points.id, result.points.weight});
    clock_.communicate(world_, [&] { result.first_row = world_.exclusive_scan(n); });
    space_.fence("copse::distributed::end");
    return result;
  }

  ExecutionSpace space_;
  const Communicator& world_;
  Workspace<MemorySpace>& workspace_;
  OwnBuilders<ExecutionSpace>& builders_;
  DistributedCost& cost_;
  CollectiveClock clock_;
  LeafOwnership ownership_;
  OrbPolicy policy_;
  OrbTree<MemorySpace> tree_;
  RowSet<MemorySpace, Row> rows_;
  RowSet<MemorySpace, Row> spare_;
  std::vector<LocalCell> cells_;
  std::vector<LocalCell> known_;  ///< every cell that this rank's groups have cut or made
  std::vector<OwnCell<MemorySpace, Row>> own_;
};

}  // namespace copse::detail
