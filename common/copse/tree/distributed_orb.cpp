#include <copse/backend/backends.hpp>
#include <copse/tree/detail/cell_exchange.hpp>
#include <copse/tree/detail/distributed_level.hpp>
#include <copse/tree/distributed_orb.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_root.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace copse {
namespace {

using detail::LocalCell;

/// A cell of the heap on its way to the other ranks.
struct SentCell {
  std::uint32_t slot;
  OrbCell cell;
};

bool has_open(const std::vector<LocalCell>& cells) {
  for (const LocalCell& cell : cells)
    if (cell.leaves.count > 1) return true;
  return false;
}

/// One build. `Row` says whether it is by weight.
template <class ExecutionSpace, class Row>
class DistributedBuild {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Weight = decltype(detail::weights_of(static_cast<const Row*>(nullptr)));
  static constexpr bool weighted = Weight::weighted;

  DistributedBuild(const ExecutionSpace& space, const Communicator& world,
                   Workspace<MemorySpace>& workspace, DistributedCost& cost)
      : space_(space), world_(world), workspace_(workspace), cost_(cost) {}

  DistributedOrb<MemorySpace> run(const DistributedPoints<MemorySpace>& points,
                                  const OrbOptions& options, Reshuffle reshuffle) {
    clock_.start();
    ownership_ = {options.leaves, world_.size()};
    policy_ = OrbPolicy{options.rule, options.axis_rule};
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
    rows_ = detail::room_for_rows<MemorySpace, Row>(workspace_, 0, n);
    spare_ = detail::room_for_rows<MemorySpace, Row>(workspace_, 1, n);
    Kokkos::parallel_for(
        "copse::distributed::begin", Kokkos::RangePolicy<ExecutionSpace>(space_, 0, n),
        detail::PackRows<MemorySpace, Row>{points.position, points.id, points.weight, rows_});
  }

  detail::LevelContext<ExecutionSpace, Row> context(const Communicator* comm) {
    return {space_, policy_, tree_.cells, workspace_, rows_, spare_, comm, clock_};
  }

  /// A search for cuts of cells whose parts are on the ranks of `comm`.
  HistogramCuts<MemorySpace, Weight> shared_search(const Communicator& comm) {
    HistogramCuts<MemorySpace, Weight> search = own_search();
    search.reduce = [this, &comm](const auto& histogram) {
      cost_.bytes_reduced += histogram.span() * sizeof(Count);
      clock_.communicate(comm, [&] { comm.allreduce(histogram, Reduction::sum); });
    };
    return search;
  }
  HistogramCuts<MemorySpace, Weight> own_search() {
    HistogramCuts<MemorySpace, Weight> search;
    search.weight = [this] {
      return detail::weights_of(static_cast<const Row*>(rows_.row.data()));
    };
    return search;
  }

  void remember_rounds(const HistogramCuts<MemorySpace, Weight>& search) {
    cost_.rounds_per_level.insert(cost_.rounds_per_level.end(), search.rounds_per_level.begin(),
                                  search.rounds_per_level.end());
  }

  void exchange(const Communicator& comm, int first) {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::exchange");
    cost_.particle_bytes_sent += detail::exchange_cells(space_, comm, first, ownership_, cells_,
                                                        rows_, spare_, workspace_, clock_);
    ++cost_.exchanges;
  }

  /// Local reshuffling: all levels with the particles where they are, then one exchange.
  void cut_in_place() {
    {
      const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
      auto search = shared_search(world_);
      while (has_open(cells_))
        cells_ = detail::cut_cells(
            context(&world_), cells_, [](const LocalCell& cell) { return cell.leaves.count > 1; },
            search);
      remember_rounds(search);
    }
    exchange(world_, 0);
  }

  /// Global reshuffling, until this rank shares no cell with another.
  void cut_in_groups() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
    known_ = cells_;
    std::optional<Communicator> split;
    int first = 0;
    for (const Communicator* group = &world_; group->size() > 1;) {
      const auto is_shared = [this](const LocalCell& cell) {
        const RankRange ranks = ownership_.ranks_of(cell.leaves);
        return ranks.first < ranks.last;
      };
      if (std::any_of(cells_.begin(), cells_.end(), is_shared)) {
        auto search = shared_search(*group);
        cells_ = detail::cut_cells(context(group), cells_, is_shared, search);
        remember_rounds(search);
        known_.insert(known_.end(), cells_.begin(), cells_.end());
      }
      exchange(*group, first);
      const int me = first + group->rank();
      const int color = keep_connected_cells(me, group->size());
      Communicator next = group->split(color, me);
      // A rank that holds no cell goes on alone, and has nothing to do.
      first = cells_.empty() ? me : ownership_.ranks_of(cells_.front().leaves).first;
      split.emplace(std::move(next));
      group = &*split;
    }
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

  /// Cuts the cells that only this rank has left.
  void finish_alone() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::own_levels");
    const auto is_open = [](const LocalCell& cell) { return cell.leaves.count > 1; };
    while (has_open(cells_)) {
      if constexpr (weighted)
        cells_ = detail::cut_cells(context(nullptr), cells_, is_open, own_search());
      else
        cells_ = detail::cut_cells(context(nullptr), cells_, is_open, SelectCuts{});
      known_.insert(known_.end(), cells_.begin(), cells_.end());
    }
  }

  /// Gives every rank all cells. A cell is told by the owner of its first leaf, who has been there
  /// when the cell was made and when it was cut.
  void share_cells() {
    const auto heap = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree_.cells);
    std::vector<SentCell> told;
    std::vector<bool> seen(heap.extent(0), false);
    for (const LocalCell& cell : known_) {
      if (ownership_.owner(cell.leaves.first) != world_.rank() || seen[cell.slot]) continue;
      seen[cell.slot] = true;
      told.push_back({cell.slot, heap(cell.slot)});
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
        detail::UnpackRows<MemorySpace, Row>{rows_.row, result.points.id, result.points.weight});
    clock_.communicate(world_, [&] { result.first_row = world_.exclusive_scan(n); });
    space_.fence("copse::distributed::end");
    return result;
  }

  ExecutionSpace space_;
  const Communicator& world_;
  Workspace<MemorySpace>& workspace_;
  DistributedCost& cost_;
  detail::CollectiveClock clock_;
  LeafOwnership ownership_;
  OrbPolicy policy_;
  OrbTree<MemorySpace> tree_;
  detail::RowSet<MemorySpace, Row> rows_;
  detail::RowSet<MemorySpace, Row> spare_;
  std::vector<LocalCell> cells_;
  std::vector<LocalCell> known_;  ///< every cell this rank has had a part in
};

}  // namespace

template <class ExecutionSpace>
DistributedOrb<typename ExecutionSpace::memory_space> DistributedOrbBuilder<ExecutionSpace>::build(
    const DistributedPoints<MemorySpace>& points, const OrbOptions& options, Reshuffle reshuffle,
    bool weighted) {
  check_orb_size(points.position.extent(0), options.leaves);
  const Kokkos::Profiling::ScopedRegion region("copse::distributed::build");
  cost_ = {};
  if (weighted)
    return DistributedBuild<ExecutionSpace, detail::WeightedId>(space_, comm_, workspace_, cost_)
        .run(points, options, reshuffle);
  return DistributedBuild<ExecutionSpace, GlobalId>(space_, comm_, workspace_, cost_)
      .run(points, options, reshuffle);
}

#define COPSE_INSTANTIATE(Space) template class DistributedOrbBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
