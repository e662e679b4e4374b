#pragma once
/// \file
/// Bodies in the order of their octree, the moments of its nodes and its opening radii: what every
/// method reads.
///
/// Row i of every array is the i-th body along the Hilbert curve; `order(i)` is its row in the
/// input. Fields are computed and kept in tree order.

#include "request.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/gravity/gravity_tree.hpp>
#include <copse/particles/particles.hpp>
#include <copse/traversal/visitors/barnes_hut.hpp>
#include <copse/tree/octree.hpp>
#include <copse/tree/octree_builder.hpp>

#include <Kokkos_Core.hpp>

#include <variant>

namespace copse::gravity {

template <class MemorySpace>
using Column = Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace>;

template <class MemorySpace>
struct BodyTree {
  Points<3, MemorySpace> points;                 ///< [n][3]
  Column<MemorySpace> masses;                    ///< [n]
  Column<MemorySpace> softening;                 ///< [n] spline lengths, or empty
  Kokkos::View<LocalIndex*, MemorySpace> order;  ///< [n] rows of the input
  Octree<MemorySpace> octree;
  GravityTree<MemorySpace> gravity;
  std::variant<Multipoles<1, MemorySpace>, Multipoles<2, MemorySpace>, Multipoles<3, MemorySpace>,
               Multipoles<4, MemorySpace>>
      moments;
  Real softening2 = 0;  ///< square of the Plummer length, without spline lengths

  Count size() const { return points.extent(0); }
};

/// Fields of n bodies, zero.
template <class MemorySpace>
GravityFields<MemorySpace> allocate_fields(Count n) {
  return {Points<3, MemorySpace>("copse::gravity::acceleration", n),
          Column<MemorySpace>("copse::gravity::potential", n)};
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

/// Builds body trees; keeps its work arrays between builds.
template <class ExecutionSpace>
class BodyTreeBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit BodyTreeBuilder(const ExecutionSpace& space) : space_(space), builder_(space) {}

  /// Sorts the particles along the curve and builds the tree. The input is not changed.
  /// They have masses, and softening lengths if the request needs them.
  /// \throws InputError as OctreeBuilder::build
  void build(const Particles<MemorySpace>& particles, const Request& request,
             std::uint32_t bucket_size, BodyTree<MemorySpace>& into);
  /// Computes the moments of a built tree and its opening radii.
  void compute_moments(const Request& request, BodyTree<MemorySpace>& into);

 private:
  ExecutionSpace space_;
  OctreeBuilder<ExecutionSpace> builder_;
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse::gravity
