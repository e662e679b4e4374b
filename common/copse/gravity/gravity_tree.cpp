#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/gravity_tree.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

#include <string>

namespace copse {
namespace {

/// Converts a computed squared length to a `Real` length, rounded up.
KOKKOS_FUNCTION Real length_rounded_up(double square) {
  const double length = Kokkos::sqrt(square) * (1.0 + 1e-15);
  const Real rounded = static_cast<Real>(length);
  if (static_cast<double>(rounded) >= length) return rounded;
  return Kokkos::nextafter(rounded, Kokkos::Experimental::infinity_v<Real>);
}

KOKKOS_FUNCTION void include(NodeBounds& bounds, const NodeBounds& other) {
  for (int a = 0; a < 3; ++a) {
    if (other.lower[a] < bounds.lower[a]) bounds.lower[a] = other.lower[a];
    if (other.upper[a] > bounds.upper[a]) bounds.upper[a] = other.upper[a];
  }
}

KOKKOS_FUNCTION NodeBounds empty_bounds() {
  NodeBounds bounds;
  for (int a = 0; a < 3; ++a) {
    bounds.lower[a] = Kokkos::Experimental::infinity_v<Real>;
    bounds.upper[a] = -Kokkos::Experimental::infinity_v<Real>;
  }
  return bounds;
}

template <int Order, class MemorySpace>
struct NodeMoments {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<const OctreeCell*, MemorySpace> cells;
  Points<3, MemorySpace> points;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> masses;
  Kokkos::View<MomentSums<Order>*, Kokkos::LayoutLeft, MemorySpace> moments;
  Multipoles<Order, MemorySpace> out;

  /// Divides the mass-weighted sum of positions by the mass.
  KOKKOS_FUNCTION void place_centre(Count i, MomentSums<Order>& sum) const {
    for (int a = 0; a < 3; ++a)
      sum.centre[a] =
          sum.mass > 0.0 ? sum.centre[a] / sum.mass : static_cast<double>(cells(i).centre[a]);
  }

  KOKKOS_FUNCTION Monopole centre_of(const MomentSums<Order>& sum) const {
    Monopole monopole;
    for (int a = 0; a < 3; ++a) monopole.centre[a] = static_cast<Real>(sum.centre[a]);
    monopole.mass = static_cast<Real>(sum.mass);
    return monopole;
  }

  KOKKOS_FUNCTION void store(Count i, const MomentSums<Order>& sum, const Monopole& monopole,
                             Real reach, const NodeBounds& bounds) const {
    moments(i) = sum;
    out.monopole(i) = monopole;
    if constexpr (Order >= 2) out.higher(i) = sum.rounded(static_cast<double>(unit_length(reach)));
    out.reach(i) = reach;
    out.bounds(i) = bounds;
  }
};

template <int Order, class MemorySpace>
struct SumLeaves {
  NodeMoments<Order, MemorySpace> node;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const OctreeNode leaf = node.nodes(i);
    if (!leaf.is_leaf()) return;
    MomentSums<Order> sum;
    NodeBounds bounds = empty_bounds();
    for (Count p = leaf.begin; p < leaf.end; ++p) {
      const double m = static_cast<double>(node.masses(p));
      sum.mass += m;
      NodeBounds here;
      for (int a = 0; a < 3; ++a) {
        const Real x = node.points(p, a);
        sum.centre[a] += m * static_cast<double>(x);
        here.lower[a] = x;
        here.upper[a] = x;
      }
      include(bounds, here);
    }
    node.place_centre(i, sum);
    for (Count p = leaf.begin; p < leaf.end; ++p) {
      double shift[3];
      for (int a = 0; a < 3; ++a) shift[a] = static_cast<double>(node.points(p, a)) - sum.centre[a];
      sum.add_mass_at(shift, static_cast<double>(node.masses(p)));
    }
    const Monopole stored = node.centre_of(sum);
    double farthest = 0.0;
    for (Count p = leaf.begin; p < leaf.end; ++p) {
      double square = 0.0;
      for (int a = 0; a < 3; ++a) {
        const double d =
            static_cast<double>(node.points(p, a)) - static_cast<double>(stored.centre[a]);
        square += d * d;
      }
      if (square > farthest) farthest = square;
    }
    node.store(i, sum, stored, length_rounded_up(farthest), bounds);
  }
};

template <int Order, class MemorySpace>
struct SumChildren {
  NodeMoments<Order, MemorySpace> node;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const OctreeNode parent = node.nodes(i);
    if (parent.is_leaf()) return;
    const Count first = parent.first_child, end = first + parent.child_count;
    MomentSums<Order> sum;
    NodeBounds bounds = empty_bounds();
    for (Count c = first; c < end; ++c) {
      const MomentSums<Order> child = node.moments(c);
      sum.mass += child.mass;
      for (int a = 0; a < 3; ++a) sum.centre[a] += child.mass * child.centre[a];
      include(bounds, node.out.bounds(c));
    }
    node.place_centre(i, sum);
    for (Count c = first; c < end; ++c) {
      const MomentSums<Order> child = node.moments(c);
      double shift[3];
      for (int a = 0; a < 3; ++a) shift[a] = child.centre[a] - sum.centre[a];
      sum.add_moments_at(shift, child);
    }
    const Monopole stored = node.centre_of(sum);
    node.store(i, sum, stored, reach(stored, bounds, first, end), bounds);
  }

  KOKKOS_FUNCTION Real reach(const Monopole& stored, const NodeBounds& bounds, Count first,
                             Count end) const {
    double by_children = 0.0;
    for (Count c = first; c < end; ++c) {
      const Monopole child = node.out.monopole(c);
      double square = 0.0;
      for (int a = 0; a < 3; ++a) {
        const double d =
            static_cast<double>(child.centre[a]) - static_cast<double>(stored.centre[a]);
        square += d * d;
      }
      const double farthest = Kokkos::sqrt(square) + static_cast<double>(node.out.reach(c));
      if (farthest > by_children) by_children = farthest;
    }
    double by_bounds = 0.0;
    for (int a = 0; a < 3; ++a) {
      const double centre = static_cast<double>(stored.centre[a]);
      const double below = centre - static_cast<double>(bounds.lower[a]);
      const double above = static_cast<double>(bounds.upper[a]) - centre;
      const double d = below > above ? below : above;
      by_bounds += d * d;
    }
    const double by_both = by_children * by_children;
    return length_rounded_up(by_both < by_bounds ? by_both : by_bounds);
  }
};

template <int Order, class MemorySpace>
void allocate(Multipoles<Order, MemorySpace>& m, Count nodes) {
  if (m.monopole.extent(0) == nodes) return;
  m = {};
  const auto alloc = [](const char* array) {
    return Kokkos::view_alloc(std::string("copse::multipoles::") + array,
                              Kokkos::WithoutInitializing);
  };
  m.monopole = decltype(m.monopole)(alloc("monopole"), nodes);
  if constexpr (Order >= 2) m.higher = decltype(m.higher)(alloc("higher"), nodes);
  m.reach = decltype(m.reach)(alloc("reach"), nodes);
  m.bounds = decltype(m.bounds)(alloc("bounds"), nodes);
}

/// Sums the children of every inner node, depth by depth.
template <class ExecutionSpace, int Order>
void sum_inner_nodes(const ExecutionSpace& space,
                     const Octree<typename ExecutionSpace::memory_space>& tree,
                     const NodeMoments<Order, typename ExecutionSpace::memory_space>& node) {
  for (int depth = tree.depths() - 2; depth >= 0; --depth) {
    const auto d = static_cast<std::size_t>(depth);
    Kokkos::parallel_for(
        "copse::multipoles::inner",
        CountRange<ExecutionSpace>(space, tree.depth_begin[d], tree.depth_begin[d + 1]),
        SumChildren<Order, typename ExecutionSpace::memory_space>{node});
  }
}

/// Stores the given leaves of a top.
template <int Order, class MemorySpace>
struct StoreTopLeaves {
  NodeMoments<Order, MemorySpace> node;
  Kokkos::View<const TopLeaf<Order>*, MemorySpace> leaves;
  Kokkos::View<const std::uint32_t*, MemorySpace> leaf_nodes;

  KOKKOS_FUNCTION void operator()(Count k) const {
    const TopLeaf<Order> leaf = leaves(k);
    node.store(leaf_nodes(k), leaf.sums, leaf.monopole, leaf.reach, leaf.bounds);
  }
};

template <class MemorySpace>
struct PackBodies {
  Points<3, MemorySpace> points;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> masses;
  Kokkos::View<Monopole*, MemorySpace> bodies;

  KOKKOS_FUNCTION void operator()(Count i) const {
    Monopole body;
    for (int a = 0; a < 3; ++a) body.centre[a] = points(i, a);
    body.mass = masses(i);
    bodies(i) = body;
  }
};

template <class MemorySpace>
struct OpeningRadii {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<const OctreeCell*, MemorySpace> cells;
  Kokkos::View<const Monopole*, MemorySpace> monopole;
  Kokkos::View<const Real*, MemorySpace> reach;
  Kokkos::View<const NodeBounds*, MemorySpace> bounds;
  OpeningCriterion criterion;
  Kokkos::View<Real*, MemorySpace> opening2;
  Kokkos::View<OctreeCell*, MemorySpace> cubes;

  /// The opening radius by the angle alone, with b the node's reach.
  KOKKOS_FUNCTION double radius_by_angle(Count i, double b) const {
    const OctreeCell cell = cells(i);
    const double by_side = 2.0 * static_cast<double>(cell.half_side) / criterion.theta;
    if (criterion.kind == OpeningKind::changa)
      return 2.0 * b / (Kokkos::sqrt(3.0) * criterion.theta);
    if (criterion.kind == OpeningKind::bmax) return b / criterion.theta;
    if (criterion.kind == OpeningKind::min_distance) return by_side + b;
    const Monopole mass = monopole(i);
    double square = 0.0;
    for (int a = 0; a < 3; ++a) {
      const double d = static_cast<double>(mass.centre[a]) - static_cast<double>(cell.centre[a]);
      square = Kokkos::fma(d, d, square);
    }
    return by_side + Kokkos::sqrt(square);
  }

  /// Half the side is rounded as walks round the distance of a particle from the centre, so no
  /// particle is outside the cube of its node.
  KOKKOS_FUNCTION OctreeCell cube_of(Count i) const {
    OctreeCell cube = cells(i);
    cube.half_side *= Real(1.2);
    for (int a = 0; a < 3; ++a) {
      const Real below = cube.centre[a] - bounds(i).lower[a];
      const Real above = bounds(i).upper[a] - cube.centre[a];
      if (below > cube.half_side) cube.half_side = below;
      if (above > cube.half_side) cube.half_side = above;
    }
    return cube;
  }

  KOKKOS_FUNCTION void operator()(Count i) const {
    if (criterion.kind == OpeningKind::relative) {
      const double side = 2.0 * static_cast<double>(cells(i).half_side);
      opening2(i) = static_cast<Real>(Kokkos::sqrt(static_cast<double>(monopole(i).mass)) * side);
      cubes(i) = cube_of(i);
      return;
    }
    opening2(i) = Kokkos::Experimental::infinity_v<Real>;
    const bool by_changa = criterion.kind == OpeningKind::changa;
    if (criterion.theta == 0.0 || (by_changa && nodes(i).rows() <= always_opened_by_changa)) return;
    const double b = static_cast<double>(reach(i));
    opening2(i) = squared_opening_radius(radius_by_angle(i, b), b);
  }
};

}  // namespace

template <int Order, class ExecutionSpace>
void compute_multipoles(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    Multipoles<Order, typename ExecutionSpace::memory_space>& into) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (masses.extent(0) != points.extent(0))
    throw InputError("multipole moments need a mass for each of the " +
                     std::to_string(points.extent(0)) + " particles, but there are " +
                     std::to_string(masses.extent(0)) + " masses");
  Kokkos::Profiling::ScopedRegion region("copse::multipoles::compute");
  allocate(into, tree.size());
  const NodeMoments<Order, MemorySpace> node{
      tree.nodes,
      tree.cells,
      points,
      masses,
      workspace.template get<MomentSums<Order>>("multipoles::moments", tree.size()),
      into};
  Kokkos::parallel_for("copse::multipoles::leaves",
                       CountRange<ExecutionSpace>(space, 0, tree.size()),
                       SumLeaves<Order, MemorySpace>{node});
  sum_inner_nodes(space, tree, node);
  space.fence("copse::multipoles::compute");
}

template <int Order, class ExecutionSpace>
void compute_top_multipoles(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& top,
    const Kokkos::View<const TopLeaf<Order>*, typename ExecutionSpace::memory_space>& leaves,
    const Kokkos::View<const std::uint32_t*, typename ExecutionSpace::memory_space>& leaf_nodes,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    Multipoles<Order, typename ExecutionSpace::memory_space>& into) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  allocate(into, top.size());
  const NodeMoments<Order, MemorySpace> node{
      top.nodes,
      top.cells,
      {},
      {},
      workspace.template get<MomentSums<Order>>("multipoles::top_moments", top.size()),
      into};
  Kokkos::parallel_for("copse::multipoles::top_leaves",
                       CountRange<ExecutionSpace>(space, 0, leaves.extent(0)),
                       StoreTopLeaves<Order, MemorySpace>{node, leaves, leaf_nodes});
  sum_inner_nodes(space, top, node);
  space.fence("copse::multipoles::compute_top");
}

template <int Order, class ExecutionSpace>
void make_gravity_tree(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    const Multipoles<Order, typename ExecutionSpace::memory_space>& moments,
    const OpeningCriterion& criterion, GravityTree<typename ExecutionSpace::memory_space>& into) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (!(criterion.theta >= 0.0))
    throw InputError(
        fmt::format("the opening angle must not be negative, but is {}", criterion.theta));
  if (!(criterion.alpha >= 0.0))
    throw InputError(fmt::format("alpha must not be negative, but is {}", criterion.alpha));
  const Count particles = points.extent(0);
  if (into.bodies.extent(0) != particles) {
    into.bodies = {};
    into.bodies = decltype(into.bodies)(
        Kokkos::view_alloc("copse::gravity_tree::bodies", Kokkos::WithoutInitializing), particles);
  }
  if (into.opening2.extent(0) != tree.size()) {
    into.opening2 = {};
    into.opening2 = decltype(into.opening2)(
        Kokkos::view_alloc("copse::gravity_tree::opening2", Kokkos::WithoutInitializing),
        tree.size());
  }
  const Count cubes = criterion.kind == OpeningKind::relative ? tree.size() : 0;
  if (into.cubes.extent(0) != cubes) {
    into.cubes = {};
    into.cubes = decltype(into.cubes)(
        Kokkos::view_alloc("copse::gravity_tree::cubes", Kokkos::WithoutInitializing), cubes);
  }
  into.monopole = moments.monopole;
  into.softening = {};
  Kokkos::parallel_for("copse::gravity_tree::bodies",
                       CountRange<ExecutionSpace>(space, 0, particles),
                       PackBodies<MemorySpace>{points, masses, into.bodies});
  Kokkos::parallel_for(
      "copse::gravity_tree::opening_radii", CountRange<ExecutionSpace>(space, 0, tree.size()),
      OpeningRadii<MemorySpace>{tree.nodes, tree.cells, moments.monopole, moments.reach,
                                moments.bounds, criterion, into.opening2, into.cubes});
  space.fence("copse::gravity_tree::make");
}

#define COPSE_INSTANTIATE_ORDER(Space, Order)                                                  \
  template void compute_multipoles<Order, Space>(                                              \
      const Space&, const Octree<Space::memory_space>&, const Points<3, Space::memory_space>&, \
      const Kokkos::View<Real*, Kokkos::LayoutLeft, Space::memory_space>&,                     \
      Workspace<Space::memory_space>&, Multipoles<Order, Space::memory_space>&);               \
  template void compute_top_multipoles<Order, Space>(                                          \
      const Space&, const Octree<Space::memory_space>&,                                        \
      const Kokkos::View<const TopLeaf<Order>*, Space::memory_space>&,                         \
      const Kokkos::View<const std::uint32_t*, Space::memory_space>&,                          \
      Workspace<Space::memory_space>&, Multipoles<Order, Space::memory_space>&);               \
  template void make_gravity_tree<Order, Space>(                                               \
      const Space&, const Octree<Space::memory_space>&, const Points<3, Space::memory_space>&, \
      const Kokkos::View<Real*, Kokkos::LayoutLeft, Space::memory_space>&,                     \
      const Multipoles<Order, Space::memory_space>&, const OpeningCriterion&,                  \
      GravityTree<Space::memory_space>&);
#define COPSE_INSTANTIATE(Space)    \
  COPSE_INSTANTIATE_ORDER(Space, 1) \
  COPSE_INSTANTIATE_ORDER(Space, 2) \
  COPSE_INSTANTIATE_ORDER(Space, 3) \
  COPSE_INSTANTIATE_ORDER(Space, 4)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE
#undef COPSE_INSTANTIATE_ORDER

}  // namespace copse
