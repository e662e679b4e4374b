#pragma once
/// \file
/// Reshuffling once (distributed_orb.hpp): cells are cut where their rows are until none is shared,
/// then one exchange takes every row to the rank of its cell.

#include <copse/tree/detail/distributed_state.hpp>
#include <copse/tree/detail/unmoved_cuts.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <vector>

namespace copse::detail {

template <class ExecutionSpace, class Row>
class ReshuffleOnce {
 public:
  using State = DistributedState<ExecutionSpace, Row>;
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Unmoved = UnmovedCuts<ExecutionSpace>;

  explicit ReshuffleOnce(State& state) : s_(state) {}

  /// Leaves this rank with cells of its own. What belongs to their points may still be on its way
  /// (DistributedState::rows_are_here). Collective.
  void run() {
    cut_where_rows_are();
    move_once();
  }

 private:
  /// Cuts until no cell is shared. Rows do not move as long as one move can bring them to all
  /// cells; beyond, they move in this rank's memory, level by level.
  void cut_where_rows_are() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
    const auto to_cut = [this](const LocalCell& cell) { return s_.is_shared(cell); };
    const auto shared = [&] {
      return static_cast<std::size_t>(std::count_if(s_.cells.begin(), s_.cells.end(), to_cut));
    };
    const auto remember_cells = [&] {
      s_.known.insert(s_.known.end(), s_.cells.begin(), s_.cells.end());
    };
    Unmoved unmoved(s_.space, s_.policy, s_.tree.cells, s_.rows.points, s_.workspace);
    auto walking_search =
        s_.template shared_search<CountByWalking<typename State::Weight>>(s_.world);
    while (shared() > 0 && s_.cells.size() + shared() <= most_unmoved_cells) {
      s_.cells = unmoved.cut(s_.world, s_.clock, s_.cells, to_cut, walking_search);
      remember_cells();
    }
    s_.remember_rounds(walking_search);
    if (s_.cells.size() == 1) return;
    const int set = set_beside(s_.rows.set);
    const auto points = point_room(s_.workspace, set, s_.rows.size());
    const std::vector<Count> begins = unmoved.move(points, places_);
    for (std::size_t c = 0; c < s_.cells.size(); ++c) s_.cells[c].rows = {begins[c], begins[c + 1]};
    s_.rows.points = points;
    s_.rows.set = set;
    if (shared() == 0) return;  // the rest follows on its way out (move_once)
    put_in_order();
    auto search = s_.shared_search(s_.world);
    while (shared() > 0) {
      s_.cells = cut_cells(s_.context(s_.world), s_.cells, to_cut, search);
      remember_cells();
    }
    s_.remember_rounds(search);
  }

  /// The exchange that brings every row to the rank of its cell. Points travel first. What else
  /// belongs to a row is put in order meanwhile, and follows while the points are cut.
  void move_once() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::exchange");
    const Arrival arrival = plan_arrival(s_.world, 0, s_.ownership, s_.cells, s_.clock);
    const Count n = arrival.rows();
    // A rank with one cell, of which it gets everything in order, needs no other copy of the
    // points.
    const bool straight = arrival.in_order() && arrival.mine.size() == 1 &&
                          s_.cells[arrival.mine[0]].leaves.count > 1;
    RowSet<MemorySpace, Row> here;
    here.set = set_beside(s_.rows.set);
    here.row = row_room<MemorySpace, Row>(s_.workspace, here.set, n);
    if (straight) {
      resize_own_points(s_.builders, n);
      here.points = s_.builders.points;
    } else {
      here.points = point_room(s_.workspace, here.set, n);
    }
    s_.clock.communicate(
        s_.world, [&] { s_.world.begin_alltoallv(arrival.plan, s_.rows.points, here.points); });
    put_in_order();
    s_.clock.complete([&] { s_.world.finish_alltoallv(); });
    s_.clock.communicate(s_.world,
                         [&] { s_.world.begin_alltoallv(arrival.plan, s_.rows.row, here.row); });
    s_.rows_on_their_way = true;
    s_.rows = here;
    s_.cost.particle_bytes_sent += bytes_sent<RowSet<MemorySpace, Row>>(arrival, s_.world.rank());
    ++s_.cost.exchanges;
    if (!straight) {
      s_.rows_are_here();
      regroup_rows(s_.space, arrival, s_.rows, s_.workspace);
    }
    number_rows_of_cells(arrival, s_.cells);
    for (const std::size_t c : arrival.mine)
      s_.own.push_back({s_.cells[c], s_.rows, s_.cells[c].rows});
  }

  /// Brings what belongs to the points to where they have moved.
  void put_in_order() {
    if (places_.size == 1) return;
    const auto row = row_room<MemorySpace, Row>(s_.workspace, s_.rows.set, s_.rows.size());
    Unmoved::move_rows(s_.space, places_, s_.rows.row, row);
    s_.space.fence("copse::distributed::move_rows");
    s_.rows.row = row;
    places_ = {};
  }

  State& s_;
  /// Where each row goes that is where it was before the points moved to their cells; of size 1 if
  /// there is none.
  typename Unmoved::Places places_;
};

}  // namespace copse::detail
