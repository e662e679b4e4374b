#pragma once
/// \file
/// Finishes a balanced tree on a device: each subtree whose particles fit a team's scratch memory
/// is built there, so that all its levels together read and write the particles once.
///
/// The cuts, the ties and the order are those of bisect(): exact selection, stable partition. A
/// host does the same in its caches (depth_first.hpp).

#include <copse/tree/balanced_tree.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/detail/finish_cell.hpp>
#include <copse/tree/detail/team_cuts.hpp>
#include <copse/tree/histogram_cuts.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace copse {

namespace detail {

inline constexpr int device_packets = 8;

/// Particles per lane: up to 16, in at most 44 of the 48 KiB of scratch memory that a team may
/// have.
constexpr int device_rows_per_lane(int row_bytes) {
  int rows = 16;
  while (rows > 1 && rows * device_packets * packet_width * row_bytes > 44 * 1024) rows /= 2;
  return rows;
}

}  // namespace detail

/// The team of a device for points of these dimensions.
template <int Dim>
using DeviceChipTeam =
    detail::ChipTeam<packet_width, detail::device_packets,
                     detail::device_rows_per_lane(Dim* static_cast<int>(sizeof(Real)) + 2)>;

/// Levels of a tree that the teams of `Shape` build: as many as fit, or none if its packets would
/// have less than a bucket each.
template <class Shape>
constexpr int levels_on_chip(std::uint32_t bucket_size, int levels) {
  int height = 0;
  while (height < levels && (Count{bucket_size} << (height + 1)) <= Shape::rows) ++height;
  return height < Shape::shared_levels ? 0 : height;
}

namespace detail {

/// The kernel that finishes a tree of `levels` levels below its cells at depth `above`.
template <class ExecutionSpace, class Shape, class Policy, class Arrays>
auto finish_cells(const Policy& policy, typename Policy::Cell* cells, int levels, int above,
                  const Arrays& arrays) {
  const Count room = Count{policy.bucket_size} << (levels - above);
  return FinishCell<ExecutionSpace, Shape, Policy, Arrays::dim, typename Arrays::Row>{
      policy,
      cells,
      arrays.points,
      arrays.rows(),
      std::uint32_t{1} << above,
      levels - above,
      static_cast<int>(room >> Shape::shared_levels)};
}

}  // namespace detail

/// A cut search (bisection.hpp) for balanced trees on a device. The size of the cells of every
/// level is known in advance: cells whose keys fit the registers of a team are cut in one launch,
/// larger ones by histograms. A packet has `Width` lanes.
template <class MemorySpace, int Width = packet_width>
class BalancedCuts {
 public:
  static constexpr int most_packets = 32;
  static constexpr int keys_per_lane = 32;
  /// Most particles of a cell that a team cuts.
  static constexpr Count most_team_rows = Count{Width} * most_packets * keys_per_lane;

  /// `room`: most particles of a cell of the first level.
  explicit BalancedCuts(Count room) : room_(room) {}

  template <class ExecutionSpace, class Keys, class LevelT>
  void operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  Workspace<MemorySpace>& workspace) {
    if (!by_teams<4>(space, keys, level)) histograms_(space, keys, level, workspace);
    room_ = (room_ + 1) / 2;
  }

 private:
  /// Cuts with the smallest team of at least `Packets` packets that holds a cell. \return false if
  /// no team does
  template <int Packets, class ExecutionSpace, class Keys, class LevelT>
  bool by_teams(const ExecutionSpace& space, const Keys& keys, const LevelT& level) const {
    if constexpr (Packets > most_packets) {
      return false;
    } else {
      using Shape = detail::ChipTeam<Width, Width == 1 ? 1 : Packets,
                                     Width == 1 ? Packets * keys_per_lane : keys_per_lane>;
      if (room_ > Shape::rows) return by_teams<2 * Packets>(space, keys, level);
      detail::launch_team_cuts<Shape>(space, keys, level);
      return true;
    }
  }

  Count room_;
  HistogramCuts<MemorySpace> histograms_;
};

/// Cells at depth `above` that can have particles in a tree of `levels` levels, whose leaves fill
/// from the left.
constexpr Count cells_at(int above, std::uint32_t bucket_size, int levels, Count rows) {
  const Count room = Count{bucket_size} << (levels - above);
  return std::min<Count>(Count{1} << above, (rows + room - 1) / room);
}

/// As bisect(), for policies that divide ties: level by level until cells fit a team of `Shape`,
/// then a team per cell.
///
/// O(n levels). Memory traffic per particle: that of bisect() for the levels above, and the points
/// and the index in and out once for all levels on chip.
template <class Shape, class ExecutionSpace, class Policy, class Arrays>
void bisect_on_chip(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, const Arrays& arrays, Workspace<typename ExecutionSpace::memory_space>& workspace) {
  const int above = levels - levels_on_chip<Shape>(policy.bucket_size, levels);
  BalancedCuts<typename ExecutionSpace::memory_space, Shape::width> cuts(Count{policy.bucket_size}
                                                                         << levels);
  bisect(space, policy, cells, above, arrays, workspace, cuts);
  if (above == levels) return;
  const auto kernel =
      detail::finish_cells<ExecutionSpace, Shape>(policy, cells.data(), levels, above, arrays);
  const Count teams = cells_at(above, policy.bucket_size, levels, arrays.points.extent(0));
  Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Shape::threads, Shape::teams>>
      team_policy(space, static_cast<int>(teams), Shape::threads);
  team_policy.set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes()));
  Kokkos::parallel_for("copse::bisect::finish_cells", team_policy, kernel);
}

/// Workspace bytes of bisect_on_chip on a device.
template <class Shape>
constexpr Count on_chip_workspace_bytes(const BalancedHeap& heap) {
  using Key = std::uint64_t;  // a LevelKey with divided ties
  using Cuts = BalancedCuts<Kokkos::HostSpace, Shape::width>;
  const int above = heap.levels - levels_on_chip<Shape>(heap.bucket_size, heap.levels);
  int by_histograms = 0;
  while (by_histograms < above &&
         (Count{heap.bucket_size} << (heap.levels - by_histograms)) > Cuts::most_team_rows)
    ++by_histograms;
  return level_arrays_bytes(above) +
         HistogramCuts<Kokkos::HostSpace>::workspace_bytes<Key>(heap.rows,
                                                                most_cells_cut(by_histograms)) +
         MoveStably::workspace_bytes<Key>(heap.rows, most_cells_cut(above));
}

}  // namespace copse
