#pragma once
/// \file
/// Fits the bounds of a balanced tree to its points.
///
/// Boxes are fitted bottom-up: one kernel for the leaves, then one per level. On a device one team
/// fits the levels of up to 2^10 nodes, in one kernel. Ball and shell radii must be taken over all
/// points below a node: radii derived from the children's bounds would grow with every level. Each
/// leaf therefore computes the distances of its points to every ancestor and updates the ancestor
/// with one atomic maximum (shells: and minimum): O(n levels) distances. Minima and maxima are
/// order-independent, so bounds are bitwise equal on every backend.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/backends.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// The distance of empty balls and shells: larger than those of real data, and its square is
/// finite.
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

/// Non-negative floats order like their bit patterns, so integer atomics compare the squares.
using SquareBits = OrderedKey<Real>;

KOKKOS_FORCEINLINE_FUNCTION void raise_to(Real& at, Real square) {
  Kokkos::atomic_max(reinterpret_cast<SquareBits*>(&at), Kokkos::bit_cast<SquareBits>(square));
}
KOKKOS_FORCEINLINE_FUNCTION void lower_to(Real& at, Real square) {
  Kokkos::atomic_min(reinterpret_cast<SquareBits*>(&at), Kokkos::bit_cast<SquareBits>(square));
}

/// Minimum and maximum squared distance of a range of particles to a point.
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

/// Runs `kernel(slot)` for every leaf slot.
template <class ExecutionSpace, class Tree, class Kernel>
void for_each_leaf(const ExecutionSpace& space, const char* label, const Tree& tree,
                   const Kernel& kernel) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, tree.leaf_slots()),
                       kernel);
}

/// Nodes of the lowest level that one team of a device processes together with all levels above.
inline constexpr std::uint32_t most_top_nodes = 1u << 10;

/// The level that begins at node `first`, then all levels above it.
template <class ExecutionSpace, class Kernel>
struct TopUpwards {
  Kernel kernel;
  std::uint32_t first;
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<ExecutionSpace>::member_type& team) const {
    for (std::uint32_t level = first; level >= 1; level /= 2) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, level, 2 * level), kernel);
      team.team_barrier();
    }
  }
};

/// Runs `kernel(node)` for every inner node, children before parents.
template <class ExecutionSpace, class Tree, class Kernel>
void for_each_inner_upwards(const ExecutionSpace& space, const char* label, const Tree& tree,
                            const Kernel& kernel) {
  const std::uint32_t most_together = runs_on_host<ExecutionSpace> ? 0 : most_top_nodes;
  std::uint32_t first = tree.leaf_slots() / 2;
  for (; first > most_together; first /= 2)
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, first, 2 * first),
                         kernel);
  if constexpr (!runs_on_host<ExecutionSpace>) {
    constexpr int threads = 512;
    if (first >= 1)
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<ExecutionSpace>(space, 1, threads),
                           TopUpwards<ExecutionSpace, Kernel>{kernel, first});
  }
}

/// Runs `kernel(node)` for every node.
template <class ExecutionSpace, class Tree, class Kernel>
void for_each_node(const ExecutionSpace& space, const char* label, const Tree& tree,
                   const Kernel& kernel) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 1, tree.node_slots()),
                       kernel);
}

}  // namespace detail

/// Fits every node's box. O(n + nodes), at most levels + 1 launches.
template <class ExecutionSpace, int Dim>
void fit_boxes(const ExecutionSpace& space,
               const BoxTree<Dim, typename ExecutionSpace::memory_space>& tree) {
  detail::for_each_leaf(
      space, "copse::tree::leaf_boxes", tree, KOKKOS_LAMBDA(const Count slot) {
        const auto node = static_cast<std::uint32_t>(tree.leaf_slots() + slot);
        const Segment rows = tree.rows_of(node);
        BoxBound<Dim> box = detail::empty_box<Dim>();
        for (int a = 0; a < Dim; ++a)
          for (Count row = rows.begin; row < rows.end; ++row) {
            const Real x = tree.points(row, a);
            box.lower[a] = lane_min(box.lower[a], x);
            box.upper[a] = lane_max(box.upper[a], x);
          }
        tree.bounds(node) = box;
      });
  detail::for_each_inner_upwards(
      space, "copse::tree::merge_boxes", tree, KOKKOS_LAMBDA(const std::uint32_t node) {
        BoxBound<Dim> box = tree.bounds(2 * node);
        const BoxBound<Dim> right = tree.bounds(2 * node + 1);
        for (int a = 0; a < Dim; ++a) {
          box.lower[a] = lane_min(box.lower[a], right.lower[a]);
          box.upper[a] = lane_max(box.upper[a], right.upper[a]);
        }
        tree.bounds(node) = box;
      });
}

/// Fits every node's ball around the mean of its points. The centres first hold the sums of the
/// points. O(n levels).
template <class ExecutionSpace, int Dim>
void fit_balls(const ExecutionSpace& space,
               const BallTree<Dim, typename ExecutionSpace::memory_space>& tree) {
  using Tree = BallTree<Dim, typename ExecutionSpace::memory_space>;
  detail::for_each_leaf(
      space, "copse::tree::sum_leaves", tree, KOKKOS_LAMBDA(const Count slot) {
        const auto node = static_cast<std::uint32_t>(tree.leaf_slots() + slot);
        const Segment rows = tree.rows_of(node);
        BallBound<Dim> ball{};
        for (int a = 0; a < Dim; ++a)
          for (Count row = rows.begin; row < rows.end; ++row) ball.center[a] += tree.points(row, a);
        tree.bounds(node) = ball;
      });
  detail::for_each_inner_upwards(
      space, "copse::tree::sum_children", tree, KOKKOS_LAMBDA(const std::uint32_t node) {
        BallBound<Dim> ball{};
        for (int a = 0; a < Dim; ++a)
          ball.center[a] = tree.bounds(2 * node).center[a] + tree.bounds(2 * node + 1).center[a];
        tree.bounds(node) = ball;
      });
  detail::for_each_node(
      space, "copse::tree::divide_sums", tree, KOKKOS_LAMBDA(const std::uint32_t node) {
        const Segment rows = tree.rows_of(node);
        auto& ball = tree.bounds(node);
        if (rows.size() == 0) {
          ball.radius = -unreachable;
          return;
        }
        for (int a = 0; a < Dim; ++a) ball.center[a] /= static_cast<Real>(rows.size());
      });
  // Each leaf raises the squared radius of itself and of every ancestor.
  detail::for_each_leaf(
      space, "copse::tree::grow_balls", tree, KOKKOS_LAMBDA(const Count slot) {
        auto node = static_cast<std::uint32_t>(tree.leaf_slots() + slot);
        const Segment rows = tree.rows_of(node);
        if (rows.size() == 0) return;
        for (; node >= 1; node /= 2) {
          auto& ball = tree.bounds(node);
          detail::raise_to(ball.radius,
                           detail::SquaredDistances<Tree>(tree, rows, ball.center).largest);
        }
      });
  detail::for_each_node(
      space, "copse::tree::finish_balls", tree, KOKKOS_LAMBDA(const std::uint32_t node) {
        auto& ball = tree.bounds(node);
        if (ball.radius >= 0) ball.radius = Kokkos::sqrt(ball.radius);
      });
}

/// Fits every node's shell around the vantage point of its parent, which is a cell of `cells`
/// (1-based heap, as the nodes). If the parent was too small to be cut, the vantage point is the
/// origin; a shell around any point is valid. O(n levels).
template <class ExecutionSpace, int Dim, class Cells>
void fit_shells(const ExecutionSpace& space,
                const ShellTree<Dim, typename ExecutionSpace::memory_space>& tree,
                const Cells& cells) {
  using Tree = ShellTree<Dim, typename ExecutionSpace::memory_space>;
  detail::for_each_node(
      space, "copse::tree::begin_shells", tree, KOKKOS_LAMBDA(const std::uint32_t node) {
        auto& shell = tree.bounds(node);
        shell.vantage = {};
        if (node > 1) shell.vantage = cells(node / 2).vantage;
        shell.inner = Kokkos::Experimental::infinity_v<Real>;
        shell.outer = 0;
      });
  detail::for_each_leaf(
      space, "copse::tree::grow_shells", tree, KOKKOS_LAMBDA(const Count slot) {
        auto node = static_cast<std::uint32_t>(tree.leaf_slots() + slot);
        const Segment rows = tree.rows_of(node);
        if (rows.size() == 0) return;
        for (; node >= 1; node /= 2) {
          auto& shell = tree.bounds(node);
          const detail::SquaredDistances<Tree> found(tree, rows, shell.vantage);
          detail::lower_to(shell.inner, found.least);
          detail::raise_to(shell.outer, found.largest);
        }
      });
  detail::for_each_node(
      space, "copse::tree::finish_shells", tree, KOKKOS_LAMBDA(const std::uint32_t node) {
        auto& shell = tree.bounds(node);
        const bool has_rows = tree.rows_of(node).size() > 0;
        shell.inner = has_rows ? Kokkos::sqrt(shell.inner) : unreachable;
        shell.outer = has_rows ? Kokkos::sqrt(shell.outer) : -unreachable;
      });
}

}  // namespace copse
