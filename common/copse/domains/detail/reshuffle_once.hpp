#pragma once
/// \file
/// Reshuffling once (distributed_orb.hpp): every rank cuts the shared cells in its own memory until
/// none is shared, then one exchange sends every particle to the rank of its cell.

#include <copse/domains/detail/cell_exchange.hpp>
#include <copse/domains/detail/own_cells.hpp>
#include <copse/domains/detail/shared_level.hpp>
#include <copse/tree/cell_places.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace copse::detail {

template <class State>
class ReshuffleOnce {
 public:
  using MemorySpace = typename State::MemorySpace;

  explicit ReshuffleOnce(State& state) : s_(state) {}

  /// On return this rank has only cells of its own. The records of their points may still be in
  /// flight (DistributedState::rows_are_here). Collective.
  void run() {
    cut_where_rows_are();
    move_once();
  }

 private:
  /// Cuts until no cell is shared. On a device, particles do not move as long as one move can sort
  /// them into all cells. With more cells, and on a host, where a move takes less time than the
  /// descents of the other way, they move in this rank's memory, level by level.
  void cut_where_rows_are() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
    if constexpr (!runs_on_host<typename State::ExecutionSpace>) cut_cells_unmoved();
    CutFlags shared = s_.shared_cells();
    if (!any(shared)) return;  // particles move in move_once, if they have not
    if (places_) {
      move_points(set_beside(s_.rows.set));
      move_rows();
    }
    auto search = s_.shared_search(s_.world);
    for (; any(shared); shared = s_.shared_cells()) cut_cells(s_, s_.world, shared, search);
    s_.remember_rounds(search);
  }

  /// Cuts shared cells without moving particles, while there are few cells.
  void cut_cells_unmoved() {
    CutFlags shared = s_.shared_cells();
    const auto next_cells = [&] {
      return s_.cells.size() +
             static_cast<std::size_t>(std::count(shared.begin(), shared.end(), std::uint8_t{1}));
    };
    auto search = s_.template shared_search<CountByWalking<typename State::Weight>>(s_.world);
    for (; any(shared) && next_cells() <= most_unmoved_cells; shared = s_.shared_cells())
      cut_unmoved(s_, shared, search);
    s_.remember_rounds(search);
    if (s_.cells.size() == 1) return;
    places_ = find_places(s_.space, decisions(s_), static_cast<std::uint32_t>(s_.cells.size()),
                          s_.workspace, "distributed");
    for (std::size_t c = 0; c < s_.cells.size(); ++c)
      s_.cells[c].rows = {places_->begin[c], places_->begin[c + 1]};
  }

  /// Exchanges every particle to the rank of its cell. Points are sent first. Their records are
  /// reordered meanwhile, and are sent while the points are cut.
  void move_once() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::exchange");
    const Arrival arrival = plan_arrival(s_, s_.world, 0);
    const Count n = arrival.rows();
    // A rank with a single cell that arrives in order needs no further copy of the points.
    const bool straight = arrival.in_order() && arrival.mine.size() == 1 &&
                          s_.cells[arrival.mine[0]].leaves.count > 1;
    typename State::Rows here;
    here.set = set_beside(s_.rows.set);
    here.row = s_.row_room(here.set, n);
    if (straight) {
      resize_own_points(s_.builders, n);
      here.points = s_.builders.points;
    } else {
      here.points = s_.point_room(here.set, n);
    }
    if (!write_points_to_ranks(arrival, here.set, here.points)) {
      if (places_) move_points(set_beside(here.set));
      PointExchange points(s_, s_.world, arrival.plan, here.points);
      points.begin(s_.rows.points);
      move_rows();
      points.finish();
    }
    s_.clock.communicate(s_.world,
                         [&] { s_.world.begin_alltoallv(arrival.plan, s_.rows.row, here.row); });
    s_.rows_on_their_way = true;
    s_.rows = here;
    if (!straight) {
      s_.rows_are_here();
      regroup_rows(s_, arrival);
    }
    number_arrived_rows(s_, arrival, s_.world.rank());
    for (const std::size_t c : arrival.mine)
      s_.own.push_back({s_.cells[c], s_.rows, s_.cells[c].rows});
  }

  /// If devices can access each other's memory and no rank has several cells, the kernel that sorts
  /// the points by cell writes them directly to `points` of the owner ranks, which saves a copy; it
  /// also sorts the records locally. Returns false on all ranks, with nothing done, if that is not
  /// possible or points are sent in fixed point. Collective.
  bool write_points_to_ranks(const Arrival& arrival, int set,
                             const Points<3, MemorySpace>& points) {
    if (!places_ || s_.grid.bits > 0) return false;
    std::vector<int> rank_of_cell;
    for (const LocalCell& cell : s_.cells)
      rank_of_cell.push_back(s_.ownership.ranks_of(cell.leaves).first);
    if (std::adjacent_find(rank_of_cell.begin(), rank_of_cell.end()) != rank_of_cell.end())
      return false;
    std::vector<Real*> room;
    std::vector<Count> pitch, before(arrival.plan.send.counts);
    s_.clock.communicate(s_.world, [&] {
      room = s_.world.open_for_writing(points);
      if (room.empty()) return;
      pitch = s_.world.allgather(static_cast<Count>(points.stride(1)));
      s_.world.exclusive_scan(std::span<Count>(before));
    });
    if (room.empty()) return false;
    const std::size_t size = places_->of_tiles.size;
    std::vector<ColumnPointer> columns(3 * size);
    for (std::size_t c = 0; c < s_.cells.size(); ++c) {
      const auto r = static_cast<std::size_t>(rank_of_cell[c]);
      for (std::size_t a = 0; a < 3; ++a)  // so that data[p] is the row at position p
        columns[a * size + c].data = room[r] + pitch[r] * a + before[r] - places_->begin[c];
    }
    const auto row = s_.row_room(set_beside(set), s_.rows.size());
    move_points_apart("copse::distributed::write_points", s_.space, *places_, s_.rows.points,
                      upload(s_.space, columns, s_.workspace, "distributed::columns"), s_.rows.row,
                      row);
    s_.space.fence("copse::distributed::write_points");
    s_.clock.complete([&] { s_.world.finish_writing(); });
    s_.rows.row = row;
    places_.reset();
    return true;
  }

  /// Sorts the points by cell in this rank's memory.
  void move_points(int set) {
    const auto points = s_.point_room(set, s_.rows.size());
    move_to_places("copse::distributed::move_points", s_.space, *places_, s_.rows.points, points,
                   nullptr);
    s_.space.fence("copse::distributed::move_points");
    s_.rows.points = points;
    s_.rows.set = set;
  }

  /// Sorts the records in the same way.
  void move_rows() {
    if (!places_) return;
    const auto row = s_.row_room(s_.rows.set, s_.rows.size());
    move_rows_to_places("copse::distributed::move_rows", s_.space, *places_, s_.rows.row, row);
    s_.space.fence("copse::distributed::move_rows");
    s_.rows.row = row;
    places_.reset();
  }

  State& s_;
  /// Destinations of particles that have not moved yet; never set on a host.
  std::optional<CellPlaces<MemorySpace>> places_;
};

}  // namespace copse::detail
