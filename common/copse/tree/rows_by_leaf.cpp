#include <copse/algorithms/permutation.hpp>
#include <copse/backend/backends.hpp>
#include <copse/tree/rows_by_leaf.hpp>

#include <algorithm>
#include <utility>

namespace copse {
namespace {

/// The leaves' slots from left to right.
template <class HostCells>
void append_leaves(const HostCells& cells, std::uint32_t slot, std::vector<std::uint32_t>& leaves) {
  if (cells(slot).leaves <= 1) {
    leaves.push_back(slot);
    return;
  }
  append_leaves(cells, 2 * slot, leaves);
  append_leaves(cells, 2 * slot + 1, leaves);
}

template <class T, class MemorySpace>
struct ScatterNumbers {
  Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace> from;
  Kokkos::View<const LocalIndex*, MemorySpace> rows;
  Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Count i) const { to(rows(i)) = from(i); }
};

/// Scatters the values of the particles of one tile, which are a contiguous run in each leaf.
template <class T, class ExecutionSpace>
struct ScatterTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  static constexpr int threads = decision_threads;
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

/// leaf(row) = the particle's leaf number.
template <class ExecutionSpace, class Leaves>
void find_leaves(const ExecutionSpace& space, const DecisionTree& tree, const Leaves& leaf) {
  Kokkos::parallel_for(
      "copse::tree::find_leaf", CountRange<ExecutionSpace>(space, 0, tree.rows),
      KOKKOS_LAMBDA(const Count row) { leaf(row) = static_cast<int>(tree.find(row).number); });
}

}  // namespace

template <class ExecutionSpace>
std::vector<Count> RowsByLeaf<ExecutionSpace>::move(const OrbTree<MemorySpace>& tree,
                                                    const Points<3, MemorySpace>& points,
                                                    const Points<3, MemorySpace>& to) {
  moved_at_once_ = in_one_move(tree.leaves);
  return moved_at_once_ ? move_at_once(tree, points, to) : sort_and_gather(tree, points, to);
}

template <class ExecutionSpace>
DecisionTree RowsByLeaf<ExecutionSpace>::decisions(const OrbTree<MemorySpace>& tree,
                                                   const Points<3, MemorySpace>& points) {
  std::vector<std::uint32_t> leaves;
  append_leaves(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.cells), 1, leaves);
  return make_decision_tree(space_, decision_nodes(leaves), tree.cells, points, workspace_,
                            "leaf::decisions");
}

template <class ExecutionSpace>
std::vector<Count> RowsByLeaf<ExecutionSpace>::move_at_once(const OrbTree<MemorySpace>& tree,
                                                            const Points<3, MemorySpace>& points,
                                                            const Points<3, MemorySpace>& to) {
  const Count n = points.extent(0);
  places_ = find_places(space_, decisions(tree, points), tree.leaves, workspace_, "leaf");
  const auto rows = workspace_.template get<LocalIndex>("leaf::rows", n);
  move_to_places("copse::tree::move_by_leaf", space_, places_, points, to, rows.data());
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
  find_leaves(space_, decisions(tree, points), leaf);
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
    move_to_places("copse::tree::move_by_leaf", space_, places_, from, to, nullptr);
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
                         CountRange<ExecutionSpace>(space_, 0, to.extent(0)), scatter);
    return;
  }
  using Kernel = ScatterTile<T, ExecutionSpace>;
  const auto leaves = static_cast<std::uint32_t>(places_.begin.size() - 1);
  for_each_tile("copse::tree::scatter_by_leaf", space_, places_.of_tiles.tiles.bound,
                Kernel{places_.of_tiles, leaves, scatter});
}

template <class ExecutionSpace>
Count RowsByLeaf<ExecutionSpace>::estimate_bytes(Count n, std::uint32_t leaves) {
  const Count rows = n * sizeof(LocalIndex);
  return rows + (in_one_move(leaves) ? place_bytes(n, leaves) : n * sizeof(int));
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
