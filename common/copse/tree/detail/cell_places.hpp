#pragma once
/// \file
/// Brings rows to the cells of a small decision tree, all at once and stably: each row's cell is
/// noted in a byte and counted by tile, the counts are scanned, and a multiway
/// partition moves any columns there (multiway_partition.hpp).

#include <copse/algorithms/multiway_partition.hpp>
#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/detail/distributed_rows.hpp>
#include <copse/tree/detail/row_walk.hpp>
#include <copse/tree/detail/walked_level.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace copse::detail {

/// Cells that one move can tell apart.
inline constexpr std::size_t most_unmoved_cells = std::size_t{1} << most_multiway_levels;

/// Where rows go.
template <class MemorySpace>
struct CellPlaces {
  MultiwayPlaces<MemorySpace> of_tiles;
  std::vector<Count> begin;  ///< [cells + 1] places at which the cells begin, and the end
};

/// Finds the places of all rows of `walk`, whose frontier has `cells` cells, at most
/// most_unmoved_cells. The arrays are the workspace's, called `name`::. Reads the coordinates on a
/// row's way, 4 bytes a level, and writes 1 byte a row.
template <class ExecutionSpace>
CellPlaces<typename ExecutionSpace::memory_space> find_places(
    const ExecutionSpace& space, const RowWalk& walk, std::uint32_t cells,
    Workspace<typename ExecutionSpace::memory_space>& workspace, const std::string& name) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  CellPlaces<MemorySpace> result;
  MultiwayPlaces<MemorySpace>& places = result.of_tiles;
  places.size = std::bit_ceil(cells);
  const auto everything =
      upload(space, std::vector<Segment>{{0, walk.rows}}, workspace, name + "::everything");
  places.tiles = make_tiles(space, everything, walk.rows, 1, workspace, name + "::places");
  const Count bins = places.tiles.bound * places.size;
  places.count = workspace.template get<LocalIndex>(name + "::place_counts", bins + 1);
  places.part = workspace.template get<std::uint8_t>(name + "::places", walk.rows);
  Kokkos::deep_copy(space, places.count, LocalIndex{0});
  using Place = PlaceTileRows<ExecutionSpace>;
  for_each_tile("copse::distributed::place_rows", space, places.tiles.bound,
                Place{walk, places, std::countr_zero(places.size)});
  exclusive_scan(space, Kokkos::subview(places.count, std::make_pair(Count{0}, bins)),
                 places.count);
  const auto begin = workspace.template get<Count>(name + "::place_begin", cells);
  Kokkos::parallel_for("copse::distributed::read_places",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, cells),
                       ReadPlaces<MemorySpace>{places, begin});
  space.fence("copse::distributed::places");
  result.begin = download(begin);
  result.begin.push_back(walk.rows);
  return result;
}

/// What a move to `places` has to know of them; which columns move is the caller's to say.
template <class Row = LocalIndex, class MemorySpace>
MultiwayColumns<MemorySpace, Row> move_arguments(const CellPlaces<MemorySpace>& places) {
  MultiwayColumns<MemorySpace, Row> arg;
  arg.places = places.of_tiles;
  return arg;
}

/// to = from, every row at its place, in one kernel called `label`; if `order` is not null, the
/// number that the row at each place had. No synchronisation. 24
/// bytes a row, 1 for its cell, and 4 if its number is wanted.
template <class ExecutionSpace, class MemorySpace>
void move_to_places(const std::string& label, const ExecutionSpace& space,
                    const CellPlaces<MemorySpace>& places, const Points<3, MemorySpace>& from,
                    const Points<3, MemorySpace>& to, LocalIndex* order) {
  MultiwayColumns<MemorySpace> arg = move_arguments(places);
  for (int a = 0; a < 3; ++a) {
    arg.from[a] = from.data() + from.stride(1) * a;
    arg.to[a] = to.data() + to.stride(1) * a;
  }
  arg.row_to = order;
  if (from.extent(0) > 0) multiway_partition(label, space, arg);
}

/// The points of each cell go to columns of its own, in the memory of other devices for instance:
/// coordinate a of the point at place p, in cell c, is written to columns(a * size + c).data[p],
/// with the size of the places. What belongs to the points stays here. 24 bytes a point, 1 for its
/// cell, and two Rows.
template <class ExecutionSpace, class MemorySpace, class Row>
void move_points_apart(const std::string& label, const ExecutionSpace& space,
                       const CellPlaces<MemorySpace>& places, const Points<3, MemorySpace>& from,
                       const Kokkos::View<ColumnPointer*, Kokkos::LayoutLeft, MemorySpace>& columns,
                       const Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace>& row_from,
                       const Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace>& row_to) {
  MultiwayColumns<MemorySpace, Row> arg = move_arguments<Row>(places);
  for (int a = 0; a < 3; ++a) arg.from[a] = from.data() + from.stride(1) * a;
  arg.to_of_part = columns.data();
  arg.row_from = row_from.data();
  arg.row_to = row_to.data();
  if (from.extent(0) > 0) multiway_partition<true>(label, space, arg);
}

/// to = from as move_to_places has moved the points that they belong to. No synchronisation.
template <class ExecutionSpace, class MemorySpace, class Row>
void move_rows_to_places(const std::string& label, const ExecutionSpace& space,
                         const CellPlaces<MemorySpace>& places,
                         const Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace>& from,
                         const Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace>& to) {
  MultiwayColumns<MemorySpace, Row> arg = move_arguments<Row>(places);
  arg.row_from = from.data();
  arg.row_to = to.data();
  if (from.extent(0) > 0) multiway_partition(label, space, arg);
}

/// Bytes of the workspace that find_places takes.
inline Count place_bytes(Count rows, std::size_t cells) {
  const Count tiles = rows / tile_size + 1;
  return rows * sizeof(std::uint8_t) + tiles * std::bit_ceil(cells) * sizeof(LocalIndex) +
         tile_table_bytes(1, rows, 1);
}

}  // namespace copse::detail
