#pragma once
/// \file
/// Particles in strips (in three dimensions: columns) along axis 0, each sorted by x.
///
/// Invariants
///  - A strip's rows are sorted by x. Its images follow: copies of the rows less than the reach
///    above 0, one period higher, if the region is periodic. Then `padding` rows of NaN, which fail
///    every comparison, so loops may read whole vectors beyond the end. Then room to grow. Only
///    rows have tags of particles.
///  - Rows belong to the strip in which they were at the last sort. Since then they may have left
///    it by less than (side - reach) / 2, where `side` is that of a strip. Particles whose strips
///    are not neighbours therefore do not meet.
///  - Ghosts have no velocity, so they stay where they are when a strip drifts.

#include "../../contacts.hpp"
#include <copse/grid/cell_list.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace copse::collide {

/// Rows of one strip in the columns of a table.
template <int D>
struct Strip {
  LocalIndex begin = 0;
  LocalIndex rows = 0;
  LocalIndex images = 0;
  LocalIndex room = 0;  ///< for rows, images and padding
  bool ghosts = false;  ///< may have ghosts
  Vector<D> extent{};   ///< on axes above 0: no row is further from the centre of the strip
};

/// Where one strip's columns start.
template <int D>
struct StripColumns {
  double* x[D];
  double* v[D];
  Tag* tag;
};

/// A particle on its way to another strip.
template <int D>
struct Departure {
  LocalIndex strip;
  Tag tag;
  double x[D];
  double v[D];
};

template <int D, class ExecutionSpace>
class StripTable {
 public:
  static constexpr LocalIndex padding = 24;
  using Grid = CellGrid<D - 1, double>;  ///< of strips, over axes 1 to D - 1

  explicit StripTable(const ExecutionSpace& space) : space_(space), sorter_(space) {}

  /// Sorts the particles of a part of the region into strips of at least `side`. O(n log n).
  void load(const State<D, Kokkos::HostSpace>& state, const Region<D>& region, const Part<D>& part,
            double side, double reach) {
    region_ = region;
    reach_ = reach;
    Vector<D - 1> lower, upper;
    for (int a = 1; a < D; ++a) {
      lower[a - 1] = part.lower[a];
      upper[a - 1] = part.upper[a];
    }
    grid_ = Grid::cover(lower, upper, side, region.periodic, state.rows() + 64);
    for (int a = 1; a < D; ++a)
      if (region.periodic && grid_.cells[a - 1] < 3) {  // two neighbours must differ
        grid_.cells[a - 1] = 1;
        grid_.per_length[a - 1] = 1.0 / region.side[a];
      }
    lay_out(state);
  }

  const Grid& grid() const { return grid_; }
  LocalIndex strips() const { return static_cast<LocalIndex>(strips_.size()); }
  const Strip<D>& strip(LocalIndex s) const { return strips_[s]; }
  /// Sets the extent of a strip whose rows have moved.
  void set_extent(LocalIndex s, const Vector<D>& extent) { strips_[s].extent = extent; }
  /// Computes the extent of a strip from its rows, NaN ignored.
  void measure_extent(LocalIndex s) {
    const StripColumns<D> c = columns(s);
    const Vector<D> middle = center(s);
    const bool wraps = this->wraps(s);
    Vector<D> extent{};
    for (int a = 1; a < D; ++a)
      for (LocalIndex k = 0; k < strips_[s].rows; ++k) {
        double distance = Kokkos::abs(c.x[a][k] - middle[a]);
        if (wraps) distance = std::min(distance, region_.side[a] - distance);
        extent[a] = std::max(extent[a], distance);
      }
    strips_[s].extent = extent;
  }
  StripColumns<D> columns(LocalIndex s) const {
    StripColumns<D> columns;
    for (int a = 0; a < D; ++a) {
      columns.x[a] = &table_.position(strips_[s].begin, a);
      columns.v[a] = &table_.velocity(strips_[s].begin, a);
    }
    columns.tag = &table_.tag(strips_[s].begin);
    return columns;
  }
  Vector<D> center(LocalIndex s) const {
    const auto place = grid_.place_of(s);
    Vector<D> center;
    center[0] = 0.5 * region_.side[0];
    for (int a = 1; a < D; ++a)
      center[a] = grid_.lower[a - 1] + (place[a - 1] + 0.5) / grid_.per_length[a - 1];
    return center;
  }
  /// How far from the centre of their strip rows may be.
  double allowed_distance(int axis) const {
    if (axis == 0 || grid_.cells[axis - 1] == 1) return std::numeric_limits<double>::infinity();
    return 1.0 / grid_.per_length[axis - 1] - 0.5 * reach_;
  }
  /// May rows of the strip be on the other side of a periodic region?
  bool wraps(LocalIndex s) const {
    const auto place = grid_.place_of(s);
    for (int a = 0; a < D - 1; ++a)
      if (region_.periodic && (place[a] == 0 || place[a] + 1 == grid_.cells[a])) return true;
    return false;
  }

  /// Writes the images and the padding of a strip whose rows are sorted. \return false if there is
  /// no room, and the table must be laid out again
  bool close(LocalIndex s) {
    Strip<D>& strip = strips_[s];
    const StripColumns<D> c = columns(s);
    strip.images = 0;
    const LocalIndex most = strip.room - padding - strip.rows;
    if (region_.periodic)
      for (LocalIndex k = 0; k < strip.rows && c.x[0][k] <= reach_; ++k) {
        if (strip.images == most) return false;
        const LocalIndex to = strip.rows + strip.images++;
        for (int a = 0; a < D; ++a) c.x[a][to] = c.x[a][k];
        c.x[0][to] += region_.side[0];
      }
    const LocalIndex end = strip.rows + strip.images;
    for (LocalIndex k = end; k < end + padding; ++k)
      for (int a = 0; a < D; ++a) {
        c.x[a][k] = std::numeric_limits<double>::quiet_NaN();
        c.v[a][k] = 0.0;
      }
    return true;
  }

  /// Moves every particle to the strip it is in (strip_migration.hpp). O(n).
  /// \param chunks first strips of the parts that threads work on, and the end
  void migrate(const std::vector<LocalIndex>& chunks);

  /// Finds new places for all strips.
  void lay_out() { lay_out(state()); }

  /// Rows of all strips; the others are unused.
  const State<D, Kokkos::HostSpace>& stored() const { return table_; }
  /// All particles, without gaps.
  State<D, Kokkos::HostSpace> state() const {
    Count n = 0;
    std::vector<Count> first(strips());
    for (LocalIndex s = 0; s < strips(); ++s) {
      first[s] = n;
      n += strips_[s].rows;
    }
    auto state = allocate_state<D, Kokkos::HostSpace>(n, false);
    for_each_strip([&](LocalIndex s) {
      const StripColumns<D> c = columns(s);
      for (LocalIndex k = 0; k < strips_[s].rows; ++k) {
        for (int a = 0; a < D; ++a) {
          state.position(first[s] + k, a) = c.x[a][k];
          state.velocity(first[s] + k, a) = c.v[a][k];
        }
        state.tag(first[s] + k) = c.tag[k];
      }
    });
    return state;
  }

  template <class F>
  void for_each_strip(const F& f) const {
    Kokkos::parallel_for(
        "copse::collide::each_strip",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<LocalIndex>>(space_, 0, strips()), f);
    space_.fence("copse::collide::each_strip");
  }

 private:
  /// NaN has a place in the order, so that sorting ends.
  static double sort_key(double x) {
    return std::isnan(x) ? std::numeric_limits<double>::infinity() : x;
  }
  /// Sorts; O(n) if there are few ascending runs, as in rows that were in strips before.
  template <class Entry>
  static void sort_runs(std::vector<Entry>& entries) {
    constexpr int most_merges = 8;
    const auto begin = entries.begin(), end = entries.end();
    auto sorted = std::is_sorted_until(begin, end);
    for (int merges = 0; sorted != end && merges < most_merges; ++merges) {
      const auto next = std::is_sorted_until(sorted, end);
      std::inplace_merge(begin, sorted, next);
      sorted = next;
    }
    if (sorted != end) std::sort(begin, end);
  }
  LocalIndex strip_of(const StripColumns<D>& c, LocalIndex k) const {
    Vector<D - 1> x;
    for (int a = 1; a < D; ++a) x[a - 1] = c.x[a][k];
    return static_cast<LocalIndex>(grid_.cell_of(x));
  }

  void lay_out(const State<D, Kokkos::HostSpace>& state) {
    const Count n = state.rows();
    const Kokkos::View<const double * [D - 1], Kokkos::LayoutLeft, Kokkos::HostSpace> across =
        Kokkos::subview(state.position, Kokkos::ALL, std::pair(1, D));
    const CellList<Kokkos::HostSpace> cells = sorter_.template sort<D - 1, double>(grid_, across);
    space_.fence("copse::collide::sort_strips");
    strips_.assign(grid_.size(), {});
    const auto mean = static_cast<LocalIndex>(n / strips_.size());
    Count total = 0;
    for (LocalIndex s = 0; s < strips(); ++s) {
      Strip<D>& strip = strips_[s];
      strip.rows = cells.offsets(s + 1) - cells.offsets(s);
      LocalIndex images = 0;
      if (region_.periodic)
        for (LocalIndex k = 0; k < strip.rows; ++k)
          images += state.position(cells.rows(cells.offsets(s) + k), 0) <= reach_ ? 1 : 0;
      // Rows of a lattice fill strips unevenly, so room follows the mean too. Over ranks, strips of
      // other ranks stay empty.
      const LocalIndex growth = strip.rows > 0 ? mean + mean / 2 : 0;
      strip.room = std::max(strip.rows + strip.rows / 8, growth) + 2 * images + padding + 16;
      strip.room = (strip.room + 7) / 8 * 8;
      strip.begin = static_cast<LocalIndex>(total);
      total += strip.room;
    }
    // Over ranks strips are laid out every few steps; new arrays would cost a page fault per page.
    if (total > table_.rows())
      table_ = allocate_state<D, Kokkos::HostSpace>(total + total / 8, false);
    std::fill(table_.tag.data() + total, table_.tag.data() + table_.rows(), unused_tag);
    for_each_strip([&](LocalIndex s) {
      std::vector<std::pair<double, LocalIndex>> order;
      for (LocalIndex k = cells.offsets(s); k < cells.offsets(s + 1); ++k)
        order.emplace_back(sort_key(state.position(cells.rows(k), 0)), cells.rows(k));
      sort_runs(order);
      const StripColumns<D> c = columns(s);
      for (LocalIndex k = 0; k < strips_[s].rows; ++k) {
        const LocalIndex row = order[k].second;
        for (int a = 0; a < D; ++a) {
          c.x[a][k] = state.position(row, a);
          c.v[a][k] = is_ghost(state.tag(row)) ? 0.0 : state.velocity(row, a);
        }
        c.tag[k] = state.tag(row);
        strips_[s].ghosts |= is_ghost(c.tag[k]);
      }
      std::fill(c.tag + strips_[s].rows, c.tag + strips_[s].room, unused_tag);
      measure_extent(s);
      close(s);
    });
  }

  void leave(LocalIndex s, std::vector<Departure<D>>& departures);
  void arrive(LocalIndex s, std::vector<const Departure<D>*>& arrivals);

  ExecutionSpace space_;
  CellSorter<ExecutionSpace> sorter_;
  Region<D> region_;
  double reach_ = 0.0;
  Grid grid_;
  std::vector<Strip<D>> strips_;
  State<D, Kokkos::HostSpace> table_;
};

}  // namespace copse::collide
