#include <copse/algorithms/gather_rows.hpp>
#include <copse/backend/backends.hpp>
#include <copse/tree/rows_by_leaf.hpp>

#include <algorithm>
#include <utility>

namespace copse {
namespace {

/// The tree as RowWalk wants it.
struct DecisionTree {
  std::vector<detail::WalkNode> nodes;
  int depth = 0;
};

template <class HostCells>
DecisionTree decisions_of(const HostCells& cells) {
  DecisionTree tree;
  tree.nodes.push_back({});
  // Children are appended, so a node comes after its parent.
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const std::uint32_t slot = tree.nodes[k].slot;
    const OrbCell& cell = cells(slot);
    if (cell.leaves <= 1) continue;
    tree.nodes[k].left = static_cast<std::int32_t>(tree.nodes.size());
    tree.nodes[k].axis = cell.cut_axis;
    tree.nodes[k].cut = cell.cut;
    // Leaves are numbered from left to right: those of the left child come first.
    const std::uint32_t first = tree.nodes[k].number;
    tree.nodes.push_back({.slot = 2 * slot, .number = first});
    tree.nodes.push_back({.slot = 2 * slot + 1, .number = first + cells(2 * slot).leaves});
    tree.depth = std::max(tree.depth, heap_level(2 * slot));
  }
  return tree;
}

template <class MemorySpace>
struct FindLeaf {
  Points<3, MemorySpace> position;
  Kokkos::View<const OrbCell*, MemorySpace> cells;
  Kokkos::View<int*, Kokkos::LayoutLeft, MemorySpace> leaf;

  KOKKOS_FUNCTION void operator()(const Count row) const {
    std::uint32_t slot = 1;
    std::uint32_t leaves_before = 0;
    while (cells(slot).leaves > 1) {
      const OrbCell& cell = cells(slot);
      slot = 2 * slot;
      if (position(row, cell.cut_axis) <= cell.cut) continue;
      leaves_before += cells(slot).leaves;
      ++slot;
    }
    leaf(row) = static_cast<int>(leaves_before);
  }
};

template <class T, class MemorySpace>
struct ScatterNumbers {
  Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace> from;
  Kokkos::View<const LocalIndex*, MemorySpace> rows;
  Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Count i) const { to(rows(i)) = from(i); }
};

/// Scatters what belongs to the rows of one tile, which are a run of places in each leaf.
template <class T, class ExecutionSpace>
struct ScatterTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  static constexpr int threads = detail::walk_threads;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, 4>>;
  using Team = typename Policy::member_type;
  MultiwayPlaces<MemorySpace> places;
  std::uint32_t leaves;
  ScatterNumbers<T, MemorySpace> scatter;

  std::size_t scratch_bytes() const { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION void scatter_run(Count t, std::uint32_t leaf, Count first,
                                               Count step) const {
    const Count run = places.index(t, 0, leaf);
    const Count end = places.count(run + 1);
    for (Count i = places.count(run) + first; i < end; i += step) scatter(i);
  }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    if (places.tiles.segment_of(t) == Tile::none) return;
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
      scatter_run(t, leaf, static_cast<Count>(team.team_rank()), threads);
  }
  void operator()(Count t) const {
    if (places.tiles.segment_of(t) == Tile::none) return;
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) scatter_run(t, leaf, 0, 1);
  }
};

template <class ExecutionSpace>
using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;

}  // namespace

template <class ExecutionSpace>
std::vector<Count> RowsByLeaf<ExecutionSpace>::move(const OrbTree<MemorySpace>& tree,
                                                    const Points<3, MemorySpace>& points,
                                                    const Points<3, MemorySpace>& to) {
  moved_at_once_ = in_one_move(tree.leaves);
  return moved_at_once_ ? move_at_once(tree, points, to) : sort_and_gather(tree, points, to);
}

template <class ExecutionSpace>
std::vector<Count> RowsByLeaf<ExecutionSpace>::move_at_once(const OrbTree<MemorySpace>& tree,
                                                            const Points<3, MemorySpace>& points,
                                                            const Points<3, MemorySpace>& to) {
  const Count n = points.extent(0);
  const DecisionTree decisions =
      decisions_of(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.cells));
  const auto nodes = detail::upload(space_, decisions.nodes, workspace_, "leaf::walk");
  detail::RowWalk walk{
      nodes.data(), static_cast<std::int32_t>(nodes.extent(0)), decisions.depth, {}, n};
  for (int a = 0; a < 3; ++a) walk.column[a] = points.data() + points.stride(1) * a;
  places_ = detail::find_places(space_, walk, tree.leaves, workspace_, "leaf");
  const auto rows = workspace_.template get<LocalIndex>("leaf::rows", n);
  detail::move_to_places("copse::tree::move_by_leaf", space_, places_, points, to, rows.data());
  space_.fence("copse::tree::rows_by_leaf");
  rows_ = rows;
  std::vector<Count> counts(tree.leaves);
  for (std::size_t leaf = 0; leaf < counts.size(); ++leaf)
    counts[leaf] = places_.begin[leaf + 1] - places_.begin[leaf];
  return counts;
}

template <class ExecutionSpace>
std::vector<Count> RowsByLeaf<ExecutionSpace>::sort_and_gather(const OrbTree<MemorySpace>& tree,
                                                               const Points<3, MemorySpace>& points,
                                                               const Points<3, MemorySpace>& to) {
  const Count n = points.extent(0);
  const auto leaf = workspace_.template get<int>("leaf::number", n);
  Kokkos::parallel_for("copse::tree::find_leaf", Range<ExecutionSpace>(space_, 0, n),
                       FindLeaf<MemorySpace>{points, tree.cells, leaf});
  DestinationOrder<MemorySpace> order =
      order_by_destination(space_, leaf, static_cast<int>(tree.leaves));
  gather_rows("copse::tree::gather_by_leaf", space_, points, to, order.rows);
  space_.fence("copse::tree::rows_by_leaf");
  rows_ = order.rows;
  return std::move(order.counts);
}

template <class ExecutionSpace>
void RowsByLeaf<ExecutionSpace>::move_along(const Points<3, MemorySpace>& from,
                                            const Points<3, MemorySpace>& to) const {
  if (moved_at_once_)
    detail::move_to_places("copse::tree::move_by_leaf", space_, places_, from, to, nullptr);
  else
    gather_rows("copse::tree::gather_by_leaf", space_, from, to, rows_);
}

template <class ExecutionSpace>
template <class T>
void RowsByLeaf<ExecutionSpace>::bring_back(const Numbers<T>& from,
                                            const Numbers<std::uint64_t>& to) const {
  const ScatterNumbers<T, MemorySpace> scatter{from, rows_, to};
  if (!moved_at_once_) {
    Kokkos::parallel_for("copse::tree::scatter_by_leaf",
                         Range<ExecutionSpace>(space_, 0, to.extent(0)), scatter);
    return;
  }
  using Kernel = ScatterTile<T, ExecutionSpace>;
  const auto leaves = static_cast<std::uint32_t>(places_.begin.size() - 1);
  detail::for_each_tile("copse::tree::scatter_by_leaf", space_, places_.of_tiles.tiles.bound,
                        Kernel{places_.of_tiles, leaves, scatter});
}

template <class ExecutionSpace>
Count RowsByLeaf<ExecutionSpace>::estimate_bytes(Count n, std::uint32_t leaves) {
  const Count rows = n * sizeof(LocalIndex);
  return rows + (in_one_move(leaves) ? detail::place_bytes(n, leaves) : n * sizeof(int));
}

#define COPSE_INSTANTIATE(Space)                                                                   \
  template class RowsByLeaf<Space>;                                                                \
  template void RowsByLeaf<Space>::bring_back<std::uint32_t>(const Numbers<std::uint32_t>&,        \
                                                             const Numbers<std::uint64_t>&) const; \
  template void RowsByLeaf<Space>::bring_back<std::uint64_t>(const Numbers<std::uint64_t>&,        \
                                                             const Numbers<std::uint64_t>&) const;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
