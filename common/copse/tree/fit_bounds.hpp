#pragma once
/// \file
/// Fits the bounds of a balanced tree to its points.
///
/// Boxes are fitted bottom-up: one kernel for the leaves, one a level above. The radius of a ball
/// and the radii of a shell must be taken over all points below a node, for a bound made of the
/// children's bounds would grow with every level: each leaf compares its points with every ancestor
/// and enters one number at each, O(n levels) distances and one atomic maximum a leaf and level.
/// Minima and maxima do not depend on their order, so bounds are bitwise equal on every backend.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// A distance no point is at: what empty balls and shells keep queries away with.
inline constexpr Real unreachable = Real(1e18);

namespace detail {

template <int Dim>
KOKKOS_FUNCTION BoxBound<Dim> empty_box() {
  BoxBound<Dim> box;
  for (int a = 0; a < Dim; ++a) {
    box.lower[a] = Kokkos::Experimental::infinity_v<Real>;
    box.upper[a] = -Kokkos::Experimental::infinity_v<Real>;
  }
  return box;
}

template <class Tree>
struct FitLeafBoxes {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const Count slot) const {
    constexpr int dim = Tree::dimension;
    const auto node = static_cast<std::uint32_t>(tree.leaf_slots() + slot);
    const Segment rows = tree.rows_of(node);
    BoxBound<dim> box = empty_box<dim>();
    for (int a = 0; a < dim; ++a)
      for (Count row = rows.begin; row < rows.end; ++row) {
        const Real x = tree.points(row, a);
        box.lower[a] = lane_min(box.lower[a], x);
        box.upper[a] = lane_max(box.upper[a], x);
      }
    tree.bounds(node) = box;
  }
};

template <class Tree>
struct MergeBoxes {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const std::uint32_t node) const {
    constexpr int dim = Tree::dimension;
    BoxBound<dim> box = tree.bounds(2 * node);
    const BoxBound<dim> right = tree.bounds(2 * node + 1);
    for (int a = 0; a < dim; ++a) {
      box.lower[a] = lane_min(box.lower[a], right.lower[a]);
      box.upper[a] = lane_max(box.upper[a], right.upper[a]);
    }
    tree.bounds(node) = box;
  }
};

/// The sum of a leaf's points, in the place of its centre.
template <class Tree>
struct SumLeafPoints {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const Count slot) const {
    const auto node = static_cast<std::uint32_t>(tree.leaf_slots() + slot);
    const Segment rows = tree.rows_of(node);
    BallBound<Tree::dimension> ball{};
    ball.radius = 0;
    for (int a = 0; a < Tree::dimension; ++a)
      for (Count row = rows.begin; row < rows.end; ++row) ball.center[a] += tree.points(row, a);
    tree.bounds(node) = ball;
  }
};

template <class Tree>
struct SumChildren {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const std::uint32_t node) const {
    BallBound<Tree::dimension> ball{};
    ball.radius = 0;
    for (int a = 0; a < Tree::dimension; ++a)
      ball.center[a] = tree.bounds(2 * node).center[a] + tree.bounds(2 * node + 1).center[a];
    tree.bounds(node) = ball;
  }
};

template <class Tree>
struct DivideSums {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const std::uint32_t node) const {
    const Segment rows = tree.rows_of(node);
    auto& ball = tree.bounds(node);
    if (rows.size() == 0) {
      ball.radius = -unreachable;
      return;
    }
    for (int a = 0; a < Tree::dimension; ++a) ball.center[a] /= static_cast<Real>(rows.size());
  }
};

/// Squares enter as integers of the same order, which is what atomics can compare.
using SquareBits = OrderedKey<Real>;

KOKKOS_FORCEINLINE_FUNCTION void raise_to(Real& at, Real square) {
  Kokkos::atomic_max(reinterpret_cast<SquareBits*>(&at), Kokkos::bit_cast<SquareBits>(square));
}
KOKKOS_FORCEINLINE_FUNCTION void lower_to(Real& at, Real square) {
  Kokkos::atomic_min(reinterpret_cast<SquareBits*>(&at), Kokkos::bit_cast<SquareBits>(square));
}

/// Least and largest squared distance of rows to a point.
template <class Tree>
struct SquaredDistances {
  static constexpr int dim = Tree::dimension;
  Real least = Kokkos::Experimental::infinity_v<Real>;
  Real largest = 0;

  KOKKOS_FUNCTION SquaredDistances(const Tree& tree, const Segment& rows,
                                   const Kokkos::Array<Real, dim>& from) {
    for (Count row = rows.begin; row < rows.end; ++row) {
      const Real d2 = squared_distance<OneLane, dim>(
          from, PointAt<dim, typename Tree::memory_space>{tree.points, row});
      least = lane_min(least, d2);
      largest = lane_max(largest, d2);
    }
  }
};

/// Enters a leaf's largest squared distance at itself and every ancestor.
template <class Tree>
struct GrowBalls {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const Count slot) const {
    auto node = static_cast<std::uint32_t>(tree.leaf_slots() + slot);
    const Segment rows = tree.rows_of(node);
    if (rows.size() == 0) return;
    for (; node >= 1; node /= 2) {
      auto& ball = tree.bounds(node);
      raise_to(ball.radius, SquaredDistances<Tree>(tree, rows, ball.center).largest);
    }
  }
};

template <class Tree>
struct FinishBalls {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const std::uint32_t node) const {
    auto& ball = tree.bounds(node);
    if (ball.radius >= 0) ball.radius = Kokkos::sqrt(ball.radius);
  }
};

/// A node's vantage point is its parent's; where the parent was too small to be cut, the origin
/// serves: any point gives a true shell.
template <class Tree, class Cells>
struct BeginShells {
  Tree tree;
  Cells cells;
  KOKKOS_FUNCTION void operator()(const std::uint32_t node) const {
    auto& shell = tree.bounds(node);
    shell.vantage = {};
    if (node > 1) shell.vantage = cells(node / 2).vantage;
    shell.inner = Kokkos::Experimental::infinity_v<Real>;
    shell.outer = 0;
  }
};

template <class Tree>
struct GrowShells {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const Count slot) const {
    auto node = static_cast<std::uint32_t>(tree.leaf_slots() + slot);
    const Segment rows = tree.rows_of(node);
    if (rows.size() == 0) return;
    for (; node >= 1; node /= 2) {
      auto& shell = tree.bounds(node);
      const SquaredDistances<Tree> found(tree, rows, shell.vantage);
      lower_to(shell.inner, found.least);
      raise_to(shell.outer, found.largest);
    }
  }
};

template <class Tree>
struct FinishShells {
  Tree tree;
  KOKKOS_FUNCTION void operator()(const std::uint32_t node) const {
    auto& shell = tree.bounds(node);
    const bool has_rows = tree.rows_of(node).size() > 0;
    shell.inner = has_rows ? Kokkos::sqrt(shell.inner) : unreachable;
    shell.outer = has_rows ? Kokkos::sqrt(shell.outer) : -unreachable;
  }
};

/// Runs `kernel(slot)` for every leaf slot.
template <class ExecutionSpace, class Tree, class Kernel>
void for_each_leaf(const ExecutionSpace& space, const char* label, const Tree& tree,
                   const Kernel& kernel) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, tree.leaf_slots()),
                       kernel);
}

/// Runs `kernel(node)` for every inner node, children before parents.
template <class ExecutionSpace, class Tree, class Kernel>
void for_each_inner_upwards(const ExecutionSpace& space, const char* label, const Tree& tree,
                            const Kernel& kernel) {
  for (std::uint32_t first = tree.leaf_slots() / 2; first >= 1; first /= 2)
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, first, 2 * first),
                         kernel);
}

/// Runs `kernel(node)` for every node.
template <class ExecutionSpace, class Tree, class Kernel>
void for_each_node(const ExecutionSpace& space, const char* label, const Tree& tree,
                   const Kernel& kernel) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 1, tree.node_slots()),
                       kernel);
}

}  // namespace detail

/// Fits every node's box. O(n + nodes), levels + 1 launches.
template <class ExecutionSpace, int Dim>
void fit_boxes(const ExecutionSpace& space,
               const BoxTree<Dim, typename ExecutionSpace::memory_space>& tree) {
  using Tree = BoxTree<Dim, typename ExecutionSpace::memory_space>;
  detail::for_each_leaf(space, "copse::tree::leaf_boxes", tree, detail::FitLeafBoxes<Tree>{tree});
  detail::for_each_inner_upwards(space, "copse::tree::merge_boxes", tree,
                                 detail::MergeBoxes<Tree>{tree});
}

/// Fits every node's ball around the mean of its points. O(n levels).
template <class ExecutionSpace, int Dim>
void fit_balls(const ExecutionSpace& space,
               const BallTree<Dim, typename ExecutionSpace::memory_space>& tree) {
  using Tree = BallTree<Dim, typename ExecutionSpace::memory_space>;
  detail::for_each_leaf(space, "copse::tree::sum_leaves", tree, detail::SumLeafPoints<Tree>{tree});
  detail::for_each_inner_upwards(space, "copse::tree::sum_children", tree,
                                 detail::SumChildren<Tree>{tree});
  detail::for_each_node(space, "copse::tree::divide_sums", tree, detail::DivideSums<Tree>{tree});
  detail::for_each_leaf(space, "copse::tree::grow_balls", tree, detail::GrowBalls<Tree>{tree});
  detail::for_each_node(space, "copse::tree::finish_balls", tree, detail::FinishBalls<Tree>{tree});
}

/// Fits every node's shell around the vantage point of its parent, a cell of `cells` (1-based heap
/// as the nodes). O(n levels).
template <class ExecutionSpace, int Dim, class Cells>
void fit_shells(const ExecutionSpace& space,
                const ShellTree<Dim, typename ExecutionSpace::memory_space>& tree,
                const Cells& cells) {
  using Tree = ShellTree<Dim, typename ExecutionSpace::memory_space>;
  detail::for_each_node(space, "copse::tree::begin_shells", tree,
                        detail::BeginShells<Tree, Cells>{tree, cells});
  detail::for_each_leaf(space, "copse::tree::grow_shells", tree, detail::GrowShells<Tree>{tree});
  detail::for_each_node(space, "copse::tree::finish_shells", tree,
                        detail::FinishShells<Tree>{tree});
}

}  // namespace copse
