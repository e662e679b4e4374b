#pragma once
/// \file
/// Moves particles to the frontier cells of a decision tree, in one stable pass: each particle's
/// cell is written as a byte and counted per tile, the counts are scanned, and a multiway partition
/// moves any columns to the resulting positions (multiway_partition.hpp).

#include <copse/algorithms/multiway_partition.hpp>
#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/tree/decision_tree.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace copse {

/// Maximum number of cells of one move.
inline constexpr std::size_t most_unmoved_cells = std::size_t{1} << most_multiway_levels;

/// Destinations of all particles.
template <class MemorySpace>
struct CellPlaces {
  MultiwayPlaces<MemorySpace> of_tiles;
  std::vector<Count> begin;  ///< [cells + 1] first position of each cell, and the end
};

namespace detail {

/// Writes the frontier cell of each particle, and counts each tile's particles per cell.
template <class ExecutionSpace>
struct PlaceTileRows {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<decision_threads, 4>>;
  using Team = typename Policy::member_type;
  static constexpr int rows_of_thread = tile_size / decision_threads;
  template <class T>
  using Shared =
      Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  DecisionTree tree;
  MultiwayPlaces<MemorySpace> places;
  int levels;  ///< 2^levels = places.size

  std::size_t scratch_bytes() const {
    return Shared<TeamDecisionNode>::shmem_size(tree.size) +
           Shared<std::uint32_t>::shmem_size(places.size);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = places.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const Shared<TeamDecisionNode> nodes(team.team_scratch(0), tree.size);
    const Shared<std::uint32_t> counters(team.team_scratch(0), places.size);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    for (std::uint32_t l = rank; l < places.size; l += decision_threads) counters(l) = 0;
    load_decisions(team, tree, nodes.data());
    const Count begin = tile.begin + rank;
    const Count base = begin < tile.end ? begin : tile.begin;
    const auto n = static_cast<std::uint32_t>(begin < tile.end ? tile.end - begin : 0);
    std::uint32_t offset[rows_of_thread];
    std::int32_t node[rows_of_thread];
    decision_offsets(n, offset);
    tree.find(nodes.data(), base, offset, node);
    COPSE_UNROLL
    for (int r = 0; r < rows_of_thread; ++r) {
      const bool used = static_cast<std::uint32_t>(r * decision_threads) < n;
      const std::uint32_t place = tree.nodes[node[r]].number;
      const std::uint32_t same = packet_match(place, levels) & packet_ballot(used);
      if (!used) continue;
      places.part(base + offset[r]) = static_cast<std::uint8_t>(place);
      // The highest lane of the packet with this cell adds for all lanes with it.
      if (same >> (rank % packet_width) == 1)
        scratch_add(&counters(place), static_cast<std::uint32_t>(Kokkos::popcount(same)));
    }
    team.team_barrier();
    for (std::uint32_t l = rank; l < places.size; l += decision_threads)
      places.count(places.index(t, tile.segment, l)) = counters(l);
  }

  void operator()(Count t) const {
    const Tile tile = places.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    std::array<std::uint32_t, 64> counters{};
    for (Count row = tile.begin; row < tile.end; ++row) {
      const std::uint32_t place = tree.find(row).number;
      places.part(row) = static_cast<std::uint8_t>(place);
      ++counters[place];
    }
    for (std::uint32_t l = 0; l < places.size; ++l)
      places.count(places.index(t, tile.segment, l)) = counters[l];
  }
};

/// The first row of each cell, from the counts of the first tile.
template <class MemorySpace>
struct ReadPlaces {
  MultiwayPlaces<MemorySpace> places;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> begin;
  KOKKOS_FUNCTION void operator()(Count l) const {
    begin(l) = places.count(places.index(0, 0, static_cast<std::uint32_t>(l)));
  }
};

}  // namespace detail

/// Finds the destinations of all particles of `tree`, whose frontier has `cells` cells, at most
/// most_unmoved_cells. The arrays belong to the workspace, with the prefix `name`::. Reads one
/// coordinate, 4 bytes, per level and particle; writes 1 byte per particle.
template <class ExecutionSpace>
CellPlaces<typename ExecutionSpace::memory_space> find_places(
    const ExecutionSpace& space, const DecisionTree& tree, std::uint32_t cells,
    Workspace<typename ExecutionSpace::memory_space>& workspace, const std::string& name) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  CellPlaces<MemorySpace> result;
  MultiwayPlaces<MemorySpace>& places = result.of_tiles;
  places.size = std::bit_ceil(cells);
  const auto everything =
      upload(space, std::vector<Segment>{{0, tree.rows}}, workspace, name + "::everything");
  places.tiles = make_tiles(space, everything, tree.rows, 1, workspace, name + "::places");
  const Count bins = places.tiles.bound * places.size;
  places.count = workspace.template get<LocalIndex>(name + "::place_counts", bins + 1);
  places.part = workspace.template get<std::uint8_t>(name + "::places", tree.rows);
  Kokkos::deep_copy(space, places.count, LocalIndex{0});
  using Place = detail::PlaceTileRows<ExecutionSpace>;
  for_each_tile("copse::tree::place_rows", space, places.tiles.bound,
                Place{tree, places, std::countr_zero(places.size)});
  exclusive_scan(space, Kokkos::subview(places.count, std::make_pair(Count{0}, bins)),
                 places.count);
  const auto begin = workspace.template get<Count>(name + "::place_begin", cells);
  Kokkos::parallel_for("copse::tree::read_places",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, cells),
                       detail::ReadPlaces<MemorySpace>{places, begin});
  space.fence("copse::tree::places");
  result.begin = download(begin);
  result.begin.push_back(tree.rows);
  return result;
}

/// Arguments of a move to `places`; the caller adds the columns to move.
template <class Row = LocalIndex, class MemorySpace>
MultiwayColumns<MemorySpace, Row> move_arguments(const CellPlaces<MemorySpace>& places) {
  MultiwayColumns<MemorySpace, Row> arg;
  arg.places = places.of_tiles;
  return arg;
}

/// to = from, every particle at its destination, in one kernel named `label`. If `order` is not
/// null, order[i] is the previous index of the particle at position i. Asynchronous. 24 bytes per
/// particle, 1 for its cell, and 4 if `order` is given.
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

/// Moves the points of each cell to separate columns, for instance in the memory of other devices:
/// coordinate a of the point at position p in cell c is written to columns(a * size + c).data[p],
/// where size is that of `places`. The `row_from` column stays local and moves to `row_to`. 24
/// bytes per point, 1 for its cell, and two Rows.
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

/// Moves one column as move_to_places moves the points. Asynchronous.
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

/// Workspace bytes of find_places.
inline Count place_bytes(Count rows, std::size_t cells) {
  const Count tiles = rows / tile_size + 1;
  return rows * sizeof(std::uint8_t) + tiles * std::bit_ceil(cells) * sizeof(LocalIndex) +
         tile_table_bytes(1, rows, 1);
}

}  // namespace copse
