#pragma once
/// \file
/// One build of a tree over ranks, from a rank's particles to its part of the result; the three
/// ways and their invariants are those of distributed_orb.hpp.

#include <copse/tree/detail/distributed_state.hpp>
#include <copse/tree/detail/reshuffle_global.hpp>
#include <copse/tree/detail/reshuffle_once.hpp>
#include <copse/tree/orb_builder.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace copse::detail {

/// A cell of the heap on its way to the other ranks.
struct SentCell {
  std::uint32_t slot;
  OrbCell cell;
};

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
      : s_{space, world, workspace, builders, cost} {}

  DistributedOrb<MemorySpace> run(const DistributedPoints<MemorySpace>& points,
                                  const OrbOptions& options, Reshuffle reshuffle) {
    s_.clock.start();
    s_.ownership = {options.leaves, s_.world.size()};
    s_.policy = OrbPolicy{options.rule, options.axis_rule, options.first_axis};
    begin(points);
    Count particles = s_.rows.size();
    s_.clock.communicate(s_.world,
                         [&] { particles = s_.world.allreduce(particles, Reduction::sum); });
    s_.tree = rooted_orb_tree(s_.space, particles, options);
    s_.cells = {{1, {0, options.leaves}, particles, {0, s_.rows.size()}}};
    if (reshuffle == Reshuffle::local) {
      cut_in_place();
    } else {
      s_.known = s_.cells;
      if (s_.world.size() == 1)
        take_all();
      else if (reshuffle == Reshuffle::global)
        ReshuffleGlobally<ExecutionSpace, Row>(s_).run();
      else
        ReshuffleOnce<ExecutionSpace, Row>(s_).run();
      finish_alone();
      share_cells();
    }
    DistributedOrb<MemorySpace> result = end();
    s_.clock.stop();
    s_.cost.compute_seconds = s_.clock.compute_seconds();
    s_.cost.communicate_seconds = s_.clock.communicate_seconds();
    s_.cost.wait_seconds = s_.clock.wait_seconds();
    return result;
  }

 private:
  /// The points stay where they are until they are moved for the first time.
  void begin(const DistributedPoints<MemorySpace>& points) {
    const Count n = points.position.extent(0);
    s_.rows.points = points.position;
    s_.rows.set = RowSet<MemorySpace, Row>::borrowed;
    if constexpr (weighted) {
      s_.rows.row = s_.workspace.template get<Row>("distributed::given_row", n);
      Kokkos::parallel_for("copse::distributed::begin",
                           Kokkos::RangePolicy<ExecutionSpace>(s_.space, 0, n),
                           PackWeights<MemorySpace>{points.id, points.weight, s_.rows.row});
    } else {
      s_.rows.row = points.id;
    }
  }

  /// Local reshuffling: all levels with the particles where they are, then one exchange.
  void cut_in_place() {
    {
      const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
      auto search = s_.shared_search(s_.world);
      while (has_open(s_.cells))
        s_.cells = cut_cells(
            s_.context(s_.world), s_.cells,
            [](const LocalCell& cell) { return cell.leaves.count > 1; }, search);
      s_.remember_rounds(search);
    }
    s_.exchange(s_.world, 0);
  }

  /// One rank has the root to itself.
  void take_all() { s_.own = {{s_.cells[0], s_.rows, s_.cells[0].rows}}; }

  /// Cuts the cells that only this rank has, and puts all its rows together.
  void finish_alone() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::own_levels");
    std::sort(s_.own.begin(), s_.own.end(), [](const auto& a, const auto& b) {
      return a.cell.leaves.first < b.cell.leaves.first;
    });
    Count n = 0;
    int busy = s_.rows.set;
    for (const auto& own : s_.own) {
      n += own.where.size();
      if (own.rows.set < 2) busy = own.rows.set;
    }
    const auto here = [this] { s_.rows_are_here(); };
    const int set = set_beside(busy);
    if (s_.own.size() == 1 && s_.own[0].cell.leaves.count > 1) {
      // The builder leaves the points where they can stay.
      const auto row = row_room<MemorySpace, Row>(s_.workspace, set, n);
      finish_cell(s_.space, s_.own[0], s_.builders, s_.tree.cells, s_.policy, s_.workspace, {}, row,
                  0, here);
      s_.rows = {s_.builders.points, row, set};
      return;
    }
    if (s_.own.size() == 1 && s_.own[0].is_all() && s_.own[0].rows.set >= 0) {
      s_.rows = s_.own[0].rows;  // a leaf
      return;
    }
    s_.rows = room_for_rows<MemorySpace, Row>(s_.workspace, set, n);
    Count begin = 0;
    for (const auto& own : s_.own) {
      if (own.cell.leaves.count == 1)
        copy_rows(s_.space, own.where, own.rows, s_.rows, begin);
      else
        finish_cell(s_.space, own, s_.builders, s_.tree.cells, s_.policy, s_.workspace,
                    s_.rows.points, s_.rows.row, begin, here);
      begin += own.where.size();
    }
    s_.space.fence("copse::distributed::own_levels");
  }

  /// Gives every rank all cells. A cell that was shared is told by the owner of its first leaf, who
  /// has been there when the cell was made and when it was cut; one that was not, by its rank.
  void share_cells() {
    const auto heap = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, s_.tree.cells);
    std::vector<SentCell> told;
    for (const LocalCell& cell : s_.known)
      if (s_.is_shared(cell) && s_.ownership.owner(cell.leaves.first) == s_.world.rank())
        told.push_back({cell.slot, heap(cell.slot)});
    for (const auto& own : s_.own)
      for (std::uint32_t k = 1; k < std::uint32_t{2} << orb_depth(own.cell.leaves.count); ++k) {
        const std::uint32_t slot = grafted_slot(own.cell.slot, k);
        if (heap(slot).leaves > 0) told.push_back({slot, heap(slot)});
      }
    std::vector<SentCell> all;
    s_.clock.communicate(s_.world,
                         [&] { all = s_.world.allgatherv(std::span<const SentCell>(told)); });
    for (const SentCell& sent : all) heap(sent.slot) = sent.cell;
    Kokkos::deep_copy(s_.tree.cells, heap);
  }

  DistributedOrb<MemorySpace> end() {
    const Count n = s_.rows.size();
    DistributedOrb<MemorySpace> result;
    result.tree = s_.tree;
    result.points.position = s_.rows.points;
    if constexpr (weighted) {
      result.points.id = s_.workspace.template get<GlobalId>("distributed::id", n);
      result.points.weight = s_.workspace.template get<std::uint32_t>("distributed::weight", n);
      Kokkos::parallel_for(
          "copse::distributed::end", Kokkos::RangePolicy<ExecutionSpace>(s_.space, 0, n),
          UnpackWeights<MemorySpace>{s_.rows.row, result.points.id, result.points.weight});
    } else {
      result.points.id = s_.rows.row;
    }
    s_.clock.communicate(s_.world, [&] { result.first_row = s_.world.exclusive_scan(n); });
    s_.space.fence("copse::distributed::end");
    return result;
  }

  DistributedState<ExecutionSpace, Row> s_;
};

}  // namespace copse::detail
