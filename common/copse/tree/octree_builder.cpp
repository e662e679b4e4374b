#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/octree_builder.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <limits>
#include <string>
#include <utility>

namespace copse {
namespace {

template <class MemorySpace>
using NodeArray = Kokkos::View<OctreeNode*, Kokkos::LayoutLeft, MemorySpace>;

/// Keys of a binary tree: the bits of a Morton key halve z first, so the axes are exchanged.
template <class MemorySpace>
struct WriteBinaryKeys {
  Points<3, MemorySpace> points;
  Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace> keys;
  CurveGrid<3> grid;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const CurveCell<3> cell =
        grid.cell(Kokkos::Array<Real, 3>{points(i, 0), points(i, 1), points(i, 2)});
    keys(i) = morton_key<3>(CurveCell<3>{cell[2], cell[1], cell[0]});
  }
};

/// Finds the first particle of each part (octant or half) of the nodes of one depth that are split.
template <class MemorySpace, int Bits>
struct FindParts {
  static constexpr Count parts = Count{1} << Bits;

  Kokkos::View<const std::uint64_t*, MemorySpace> keys;
  NodeArray<MemorySpace> nodes;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> starts;  ///< [parts nodes]
  std::uint32_t bucket_size;

  KOKKOS_FUNCTION bool splits(const OctreeNode& node) const {
    return node.rows() > bucket_size && keys(node.begin) != keys(node.end - 1);
  }

  /// One part of one node per thread, so that even the root's eight searches run in parallel.
  KOKKOS_FUNCTION void operator()(Count i) const {
    const OctreeNode node = nodes(i / parts);
    if (!splits(node)) return;
    const std::uint64_t part = i % parts;
    const std::uint64_t first = keys(node.begin);
    const int level = common_level<Bits>(first, keys(node.end - 1));
    const int shift = binary_levels - Bits * (level + 1);
    const std::uint64_t least = ((first >> (shift + Bits)) << Bits | part) << shift;
    Count low = node.begin, high = node.end;
    while (low < high) {
      const Count middle = (low + high) / 2;
      if (keys(middle) < least) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    starts(i) = static_cast<LocalIndex>(low);
  }

  /// One past the last particle of part i % parts of node i / parts.
  KOKKOS_FUNCTION LocalIndex end_of(Count i, const OctreeNode& node) const {
    return i % parts == parts - 1 ? node.end : starts(i + 1);
  }
};

/// Numbers the children of the nodes of one depth.
template <class MemorySpace, int Bits>
struct CountChildren {
  static constexpr Count parts = FindParts<MemorySpace, Bits>::parts;

  FindParts<MemorySpace, Bits> found;
  Count next_depth;  ///< number of the first node of the next depth

  KOKKOS_FUNCTION void operator()(Count f, Count& sum, bool final) const {
    OctreeNode node = found.nodes(f);
    Count children = 0;
    if (found.splits(node))
      for (Count i = parts * f; i < parts * f + parts; ++i)
        children += found.starts(i) < found.end_of(i, node);
    if (final) {
      node.level = static_cast<std::uint8_t>(
          common_level<Bits>(found.keys(node.begin), found.keys(node.end - 1)));
      node.child_count = static_cast<std::uint8_t>(children);
      node.first_child = children == 0 ? 0 : static_cast<LocalIndex>(next_depth + sum);
      found.nodes(f) = node;
    }
    sum += children;
  }
};

/// Sets the particle ranges of the children of one depth.
template <class MemorySpace, int Bits>
struct MakeChildren {
  static constexpr Count parts = FindParts<MemorySpace, Bits>::parts;

  FindParts<MemorySpace, Bits> found;
  Count next_depth;
  NodeArray<MemorySpace> children;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const OctreeNode node = found.nodes(i / parts);
    if (node.is_leaf()) return;
    const LocalIndex end = found.end_of(i, node);
    if (found.starts(i) == end) return;
    Count slot = node.first_child - next_depth;
    for (Count before = i - i % parts; before < i; ++before)
      slot += found.starts(before) < found.starts(before + 1);
    OctreeNode child;
    child.begin = found.starts(i);
    child.end = end;
    children(slot) = child;
  }
};

/// Copies the nodes of one depth to the tree and computes their cells.
template <class MemorySpace, int Bits>
struct FinishNodes {
  Points<3, MemorySpace> points;
  NodeArray<MemorySpace> from;
  Kokkos::View<OctreeNode*, MemorySpace> nodes;
  Kokkos::View<OctreeCell*, MemorySpace> cells;
  CurveGrid<3> grid;
  Count first;  ///< number of the depth's first node

  /// The finest cell of a particle.
  KOKKOS_FUNCTION CurveCell<3> cell_of(Count row) const {
    if (points.extent(0) == 0) return {};
    return grid.cell(Kokkos::Array<Real, 3>{points(row, 0), points(row, 1), points(row, 2)});
  }

  KOKKOS_FUNCTION void operator()(Count f) const {
    const OctreeNode node = from(f);
    nodes(first + f) = node;
    cells(first + f) = cell_of_level(grid, cell_of(node.begin), node.level, Bits);
  }
};

}  // namespace

void check_octree_size(Count rows, std::uint32_t bucket_size) {
  if (bucket_size < 1) throw InputError("the bucket size of an octree must be at least 1, not 0");
  if (rows > max_octree_rows)
    throw InputError(std::to_string(rows) + " particles are more than the " +
                     std::to_string(max_octree_rows) + " an octree of one rank can hold");
}

template <class ExecutionSpace>
Octree<typename ExecutionSpace::memory_space> OctreeBuilder<ExecutionSpace>::build(
    Points<3, MemorySpace>& points, Permutation& permutation, const OctreeOptions& options) {
  return build_forest(points, permutation, options, {0, points.extent(0)});
}

template <class ExecutionSpace>
Octree<typename ExecutionSpace::memory_space> OctreeBuilder<ExecutionSpace>::build_forest(
    Points<3, MemorySpace>& points, Permutation& permutation, const OctreeOptions& options,
    const std::vector<Count>& root_begin) {
  const Count n = points.extent(0);
  check_octree_size(n, options.bucket_size);
  Kokkos::Profiling::ScopedRegion region("copse::octree::build");
  if (spare_points_.extent(0) != n) {
    spare_points_ = {};
    spare_points_ = Points<3, MemorySpace>(
        Kokkos::view_alloc("copse::octree::spare_points", Kokkos::WithoutInitializing), n);
  }
  const Keys keys = sorted_keys(points, permutation, options);
  gather_rows("copse::octree::gather", space_, points, spare_points_, permutation);
  std::swap(points, spare_points_);
  const CurveGrid<3> grid(options.box);
  return options.branching == Branching::binary
             ? build_nodes<1>(keys, points, grid, options.bucket_size, root_begin)
             : build_nodes<3>(keys, points, grid, options.bucket_size, root_begin);
}

template <class ExecutionSpace>
auto OctreeBuilder<ExecutionSpace>::sorted_keys(const Points<3, MemorySpace>& points,
                                                Permutation& permutation,
                                                const OctreeOptions& options) -> Keys {
  const Count n = points.extent(0);
  if (permutation.extent(0) != n)
    permutation = Permutation(
        Kokkos::view_alloc("copse::octree::permutation", Kokkos::WithoutInitializing), n);
  const auto keys = workspace_.template get<std::uint64_t>("octree::keys", n);
  if (options.branching == Branching::binary) {
    Kokkos::parallel_for("copse::octree::binary_keys", CountRange<ExecutionSpace>(space_, 0, n),
                         WriteBinaryKeys<MemorySpace>{points, keys, CurveGrid<3>(options.box)});
    number_rows("copse::octree::number", space_, permutation);
    sort_by_key(space_, keys, permutation, workspace_, binary_levels);
  } else {
    curve_order(space_, points, options.box, options.curve, keys, permutation, workspace_);
  }
  return keys;
}

template <class ExecutionSpace>
template <int Bits>
Octree<typename ExecutionSpace::memory_space> OctreeBuilder<ExecutionSpace>::build_nodes(
    const Keys& keys, const Points<3, MemorySpace>& points, const CurveGrid<3>& grid,
    std::uint32_t bucket_size, const std::vector<Count>& root_begin) {
  const Count n = keys.extent(0);
  Kokkos::Profiling::ScopedRegion region("copse::octree::nodes");
  constexpr Count parts = Count{1} << Bits;
  const auto nodes_of_depth = [&](std::size_t depth, Count nodes) -> NodeArray<MemorySpace> {
    return workspace_.template get<OctreeNode>("octree::depth" + std::to_string(depth), nodes);
  };

  std::vector<OctreeNode> roots(root_begin.size() - 1);
  for (std::size_t r = 0; r < roots.size(); ++r) {
    roots[r].begin = static_cast<LocalIndex>(root_begin[r]);
    roots[r].end = static_cast<LocalIndex>(root_begin[r + 1]);
  }
  std::vector<NodeArray<MemorySpace>> depths{upload(space_, roots, workspace_, "octree::depth0")};
  Count next_depth = roots.size();
  std::vector<LocalIndex> depth_begin{0, static_cast<LocalIndex>(next_depth)};
  for (Count children = n == 0 ? 0 : 1; children > 0;) {
    const NodeArray<MemorySpace> nodes = depths.back();
    const Count count = nodes.extent(0);
    const auto starts = workspace_.template get<LocalIndex>("octree::starts", parts * count);
    const FindParts<MemorySpace, Bits> found{keys, nodes, starts, bucket_size};
    Kokkos::parallel_for("copse::octree::find_parts",
                         CountRange<ExecutionSpace>(space_, 0, parts * count), found);
    Kokkos::parallel_scan("copse::octree::count_children",
                          CountRange<ExecutionSpace>(space_, 0, count),
                          CountChildren<MemorySpace, Bits>{found, next_depth}, children);
    if (children == 0) break;
    if (next_depth + children > std::numeric_limits<LocalIndex>::max())
      throw InputError("the octree has more than 2^32 nodes: its bucket size of " +
                       std::to_string(bucket_size) + " is too small for " + std::to_string(n) +
                       " particles");
    depths.push_back(nodes_of_depth(depths.size(), children));
    Kokkos::parallel_for("copse::octree::make_children",
                         CountRange<ExecutionSpace>(space_, 0, parts * count),
                         MakeChildren<MemorySpace, Bits>{found, next_depth, depths.back()});
    next_depth += children;
    depth_begin.push_back(static_cast<LocalIndex>(next_depth));
  }

  Octree<MemorySpace> tree;
  const auto alloc = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  tree.nodes = decltype(tree.nodes)(alloc("copse::octree::nodes"), next_depth);
  tree.cells = decltype(tree.cells)(alloc("copse::octree::cells"), next_depth);
  tree.depth_begin = std::move(depth_begin);
  tree.grid = grid;
  tree.bucket_size = bucket_size;
  for (std::size_t d = 0; d < depths.size(); ++d)
    Kokkos::parallel_for("copse::octree::finish",
                         CountRange<ExecutionSpace>(space_, 0, depths[d].extent(0)),
                         FinishNodes<MemorySpace, Bits>{points, depths[d], tree.nodes, tree.cells,
                                                        grid, tree.depth_begin[d]});
  space_.fence("copse::octree::build");
  return tree;
}

template <class ExecutionSpace>
Count OctreeBuilder<ExecutionSpace>::estimate_bytes(Count n, std::uint32_t bucket_size,
                                                    Branching branching) {
  // Keys; the sort's copies of keys and indices; the spare points.
  const Count a_row = 2 * sizeof(std::uint64_t) + sizeof(LocalIndex) + 3 * sizeof(Real);
  // Nodes twice, cells, and eight or two starts per node of the largest depth, taken as half of all
  // nodes.
  const Count starts = branching == Branching::binary ? 1 : 4;
  const Count a_node = 2 * sizeof(OctreeNode) + sizeof(OctreeCell) + starts * sizeof(LocalIndex);
  return n * a_row + estimated_octree_nodes(n, bucket_size, branching) * a_node;
}

#define COPSE_INSTANTIATE(Space) template class OctreeBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
