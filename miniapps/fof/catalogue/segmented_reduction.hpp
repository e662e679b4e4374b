#pragma once
/// \file
/// Segmented reduction whose order of operations depends only on the segment.
///
/// Floating-point sums depend on their order, and the order of a parallel reduction depends on
/// threads and backends. Here one thread joins 64 neighbours in sequence, the next level joins 64
/// of these results, and so on until each segment has one value. The tree is the same on every
/// backend, so the result has the same bits as long as the elements have. Rounding errors grow with
/// the depth of the tree, not with the length of the segment.
///
/// Segment lengths differ by orders of magnitude. On each level one thread works on one node,
/// whatever its segment. Segments must not be empty.

#include <copse/algorithms/scan.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse::fof {

/// Number of elements joined by one thread.
inline constexpr Count reduction_width = 64;

/// 64^6 elements exceed the largest number of particles per rank.
inline constexpr int max_reduction_levels = 6;

/// The segment that contains element j; segments begin at `offsets`. O(log segments).
template <class Offsets>
KOKKOS_FUNCTION Count segment_of(const Offsets& offsets, Count j) {
  Count low = 0, high = offsets.extent(0) - 1;
  while (low + 1 < high) {
    const Count middle = (low + high) / 2;
    if (offsets(middle) <= j) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The shape of the reduction. Level 0 holds the elements, the last level one node per segment.
template <class MemorySpace>
struct ReductionTree {
  using Offsets = Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>;

  Kokkos::Array<Offsets, max_reduction_levels + 1> offsets;     ///< first node of each segment
  Kokkos::Array<Count, max_reduction_levels + 2> first_node{};  ///< of each level, from level 1
  int levels = 0;                                               ///< not counting level 0
  Count segments = 0;

  /// Number of nodes on all levels above level 0.
  Count nodes() const { return first_node[levels + 1]; }

  /// The range of elements, or of nodes one level below, joined by a node of level k.
  struct Children {
    Count begin;
    Count end;
  };
  KOKKOS_FUNCTION Children children(int k, Count segment, Count node) const {
    Children range{0, 0};
    range.begin = offsets[k - 1](segment) + (node - offsets[k](segment)) * reduction_width;
    const Count full = range.begin + reduction_width;
    const Count last = offsets[k - 1](segment + 1);
    range.end = full < last ? full : last;
    return range;
  }
};

namespace detail {

template <class Offsets>
struct CountNodes {
  Offsets below;
  Offsets nodes;
  KOKKOS_FUNCTION void operator()(Count s) const {
    nodes(s) = (below(s + 1) - below(s) + reduction_width - 1) / reduction_width;
  }
};

template <class MemorySpace, class Sum, class Element>
struct JoinChildren {
  ReductionTree<MemorySpace> tree;
  int level;
  Element element;
  Kokkos::View<Sum*, Kokkos::LayoutLeft, MemorySpace> sums;

  KOKKOS_FUNCTION void operator()(Count node) const {
    const Count segment = segment_of(tree.offsets[level], node);
    const auto range = tree.children(level, segment, node);
    Sum sum;
    for (Count i = range.begin; i < range.end; ++i) sum.join(element(segment, i));
    sums(tree.first_node[level] + node) = sum;
  }
};

template <class MemorySpace, class Sum>
struct NodesBelow {
  Kokkos::View<Sum*, Kokkos::LayoutLeft, MemorySpace> sums;
  Count first;
  KOKKOS_FUNCTION const Sum& operator()(Count, Count node) const { return sums(first + node); }
};

}  // namespace detail

/// Builds the tree over segments that begin at `offsets` [segments + 1]; `longest` is the length of
/// the longest segment. Synchronises.
template <class ExecutionSpace, class Offsets>
ReductionTree<typename ExecutionSpace::memory_space> make_reduction_tree(
    const ExecutionSpace& space, const Offsets& offsets, Count longest) {
  ReductionTree<typename ExecutionSpace::memory_space> tree;
  tree.segments = offsets.extent(0) - 1;
  tree.offsets[0] = offsets;
  if (tree.segments == 0) return tree;
  do {
    const Offsets below = tree.offsets[tree.levels];
    const Offsets nodes("copse::fof::reduction::offsets", tree.segments + 1);
    Kokkos::parallel_for("copse::fof::reduction::count",
                         CountRange<ExecutionSpace>(space, 0, tree.segments),
                         detail::CountNodes<Offsets>{below, nodes});
    exclusive_scan(space, Kokkos::subview(nodes, Kokkos::make_pair(Count{0}, tree.segments)),
                   nodes);
    space.fence("copse::fof::reduction::offsets");
    Count total = 0;
    Kokkos::deep_copy(total, Kokkos::subview(nodes, tree.segments));
    ++tree.levels;
    tree.offsets[tree.levels] = nodes;
    tree.first_node[tree.levels + 1] = tree.first_node[tree.levels] + total;
    longest = (longest + reduction_width - 1) / reduction_width;
  } while (longest > 1);
  return tree;
}

/// Reduces `element(segment, i)` over the elements i of each segment. `Sum` is its return type: a
/// default-constructed one is neutral, and `a.join(b)` adds b to a. `sums` has one entry per node
/// of the tree. Returns its last `tree.segments` entries, the results. O(elements), no
/// synchronisation.
template <class ExecutionSpace, class Sum, class Element>
Kokkos::View<Sum*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space> reduce_segments(
    const std::string& label, const ExecutionSpace& space,
    const ReductionTree<typename ExecutionSpace::memory_space>& tree, const Element& element,
    const Kokkos::View<Sum*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& sums) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  for (int k = 1; k <= tree.levels; ++k) {
    const CountRange<ExecutionSpace> nodes(space, 0, tree.first_node[k + 1] - tree.first_node[k]);
    if (k == 1) {
      Kokkos::parallel_for(label, nodes,
                           detail::JoinChildren<MemorySpace, Sum, Element>{tree, k, element, sums});
    } else {
      using Below = detail::NodesBelow<MemorySpace, Sum>;
      Kokkos::parallel_for(label, nodes,
                           detail::JoinChildren<MemorySpace, Sum, Below>{
                               tree, k, Below{sums, tree.first_node[k - 1]}, sums});
    }
  }
  const Count first = tree.first_node[tree.levels];
  return Kokkos::subview(sums, Kokkos::make_pair(first, first + tree.segments));
}

}  // namespace copse::fof
