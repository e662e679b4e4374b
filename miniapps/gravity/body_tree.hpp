#pragma once
/// \file
/// Bodies in the order of their tree, the moments of its nodes and its opening radii: what every
/// method reads.
///
/// Row i of every array is the i-th body along the Hilbert curve, in a binary tree along its Morton
/// curve; `order(i)` is its row in the input. Fields are computed and kept in tree order.

#include "request.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/gravity/exact_gravity.hpp>
#include <copse/gravity/gravity_tree.hpp>
#include <copse/gravity/periodic_correction.hpp>
#include <copse/particles/particles.hpp>
#include <copse/traversal/visitors/barnes_hut.hpp>
#include <copse/traversal/walk.hpp>
#include <copse/tree/octree.hpp>
#include <copse/tree/octree_builder.hpp>

#include <Kokkos_Core.hpp>

#include <variant>

namespace copse::gravity {

template <class MemorySpace, class T = Real>
using Column = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

/// Moments of the order of a request.
template <class MemorySpace>
using AnyMultipoles = std::variant<Multipoles<1, MemorySpace>, Multipoles<2, MemorySpace>,
                                   Multipoles<3, MemorySpace>, Multipoles<4, MemorySpace>>;

/// Makes the variant hold moments of this order.
template <class MemorySpace>
void hold_order(AnyMultipoles<MemorySpace>& moments, Count order) {
  if (moments.index() + 1 == order) return;
  switch (order) {
    case 1:
      moments.template emplace<0>();
      break;
    case 2:
      moments.template emplace<1>();
      break;
    case 3:
      moments.template emplace<2>();
      break;
    default:
      moments.template emplace<3>();
  }
}

template <class MemorySpace>
struct BodyTree {
  Points<3, MemorySpace> points;                 ///< [n][3]
  Points<3, MemorySpace> target_points;          ///< [n][3] where fields are computed
  Kokkos::Array<Real, 3> target_shift{};         ///< `points` - `target_points`, for an image
  Column<MemorySpace> masses;                    ///< [n]
  Column<MemorySpace> softening;                 ///< [n] spline lengths, or empty
  Kokkos::View<LocalIndex*, MemorySpace> order;  ///< [n] rows of the input
  /// Rows of the bodies whose fields are computed, ascending: all bodies, or the active ones
  QueryList<MemorySpace> targets;
  Octree<MemorySpace> octree;  ///< or binary tree
  GravityTree<MemorySpace> gravity;
  /// [n] sqrt(alpha |a|) by which bodies open nodes with the relative criterion, or empty
  Column<MemorySpace> limits;
  AnyMultipoles<MemorySpace> moments;
  Real softening2 = 0;  ///< square of the Plummer length, without spline lengths
  double side = 0;      ///< of the periodic box; 0: isolated
  Count build = 0;      ///< number of the build: copies of one tree have the same
  /// Most bodies of the node that holds a group of targets; 0: the method's own limit
  Count group_bodies = 0;
  PeriodicCorrection<MemorySpace> correction{};  ///< of a periodic box

  Count size() const { return points.extent(0); }
};

/// The bodies as sources of an exact sum, with the softening of the tree.
template <class MemorySpace>
GravitySources<MemorySpace> sources_of(const BodyTree<MemorySpace>& bodies) {
  return {bodies.gravity.bodies, static_cast<double>(bodies.softening2), bodies.softening,
          bodies.side};
}

/// The child of an inner node that holds a row.
template <class Nodes>
KOKKOS_INLINE_FUNCTION std::uint32_t child_with(const Nodes& nodes, const OctreeNode& parent,
                                                Count row) {
  std::uint32_t child = parent.first_child;
  const std::uint32_t last = child + parent.child_count - 1u;
  while (child < last && nodes(child + 1).begin <= row) ++child;
  return child;
}

/// Calls f with the Multipoles<Order> of the tree.
template <class MemorySpace, class F>
void with_moments(const BodyTree<MemorySpace>& bodies, F&& f) {
  std::visit(f, bodies.moments);
}

/// A number that no tree has had as its `build`.
Count next_build();

/// The criterion of a tree's opening radii: that of the request, but bmax instead of relative as
/// long as bodies have no limits.
OpeningCriterion criterion_of(const Request& request, bool has_limits);

/// Builds body trees; keeps its work arrays between builds.
template <class ExecutionSpace>
class BodyTreeBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit BodyTreeBuilder(const ExecutionSpace& space) : space_(space), builder_(space) {}

  /// Sorts the particles along the curve and builds the tree. The input does not change. Particles
  /// need masses, and softening lengths if the request needs them. Only its row in the input
  /// decides whether a body is active. With `root_begin` the result is a forest, a tree for each
  /// part of the bodies along the curve (OctreeBuilder::build_forest).
  /// \throws InputError as OctreeBuilder::build, and if no body is active
  void build(const Particles<MemorySpace>& particles, const Request& request,
             std::uint32_t bucket_size, BodyTree<MemorySpace>& into,
             const std::vector<Count>& root_begin = {});
  /// Computes the moments of a built tree and its opening radii (criterion_of), enlarged as
  /// requested, and the correction of a periodic box.
  void compute_moments(const Request& request, BodyTree<MemorySpace>& into);
  /// The sums behind the last moments, which are those of `bodies`.
  template <int Order>
  auto sums_of(const BodyTree<MemorySpace>& bodies) {
    return multipole_sums<Order>(bodies.octree, workspace_);
  }
  /// The keys by which `build` sorts these particles (OctreeBuilder::sorted_keys).
  auto sorted_keys(const Particles<MemorySpace>& particles, const Request& request,
                   Kokkos::View<LocalIndex*, MemorySpace>& order) {
    return builder_.sorted_keys(particles.position, order, options_of(particles.box, request, 1));
  }
  static OctreeOptions options_of(const Box<3>& box, const Request& request,
                                  std::uint32_t bucket_size) {
    return {.bucket_size = bucket_size,
            .curve = Curve::hilbert,
            .box = box,
            .branching = request.branching};
  }
  /// Sets the limits of a built tree from `pulls`.
  void set_limits(const Request& request, const Column<MemorySpace>& pulls,
                  BodyTree<MemorySpace>& into);
  /// Stores the lengths of the accelerations, G = 1, in the order of the input.
  void record_pulls(const BodyTree<MemorySpace>& bodies, const GravityFields<MemorySpace>& fields,
                    const Column<MemorySpace>& pulls);

 private:
  ExecutionSpace space_;
  OctreeBuilder<ExecutionSpace> builder_;
  Workspace<MemorySpace> workspace_;
  Box<3> box_;  ///< of the last build
  Column<MemorySpace, LocalIndex> active_;
};

}  // namespace copse::gravity
