#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/multipoles.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

namespace copse {
namespace {

/// Moments about the centre of mass before they are rounded to `Real`.
struct Moments {
  double mass = 0.0;
  double centre[3] = {};
  double quadrupole[6] = {};  ///< xx, xy, xz, yy, yz, zz

  /// Adds a mass at `shift` from the centre: all there is of the parallel-axis theorem.
  KOKKOS_FUNCTION void add_at(const double (&shift)[3], double m) {
    const double square = shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2];
    int k = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b)
        quadrupole[k++] += m * (3.0 * shift[a] * shift[b] - (a == b ? square : 0.0));
  }
};

/// The least `Real` that is surely no less than the length whose computed square this is.
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

template <class MemorySpace>
struct NodeMoments {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<const OctreeCell*, MemorySpace> cells;
  Points<3, MemorySpace> points;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> masses;
  Kokkos::View<Moments*, Kokkos::LayoutLeft, MemorySpace> moments;
  Multipoles<MemorySpace> out;

  /// The mean of positions from their sum weighted by mass.
  KOKKOS_FUNCTION void place_centre(Count i, Moments& sum) const {
    for (int a = 0; a < 3; ++a)
      sum.centre[a] =
          sum.mass > 0.0 ? sum.centre[a] / sum.mass : static_cast<double>(cells(i).centre[a]);
  }

  KOKKOS_FUNCTION Monopole store(Count i, const Moments& sum) const {
    Monopole monopole;
    for (int a = 0; a < 3; ++a) monopole.centre[a] = static_cast<Real>(sum.centre[a]);
    monopole.mass = static_cast<Real>(sum.mass);
    const double* q = sum.quadrupole;
    moments(i) = sum;
    out.monopole(i) = monopole;
    out.quadrupole(i) = {static_cast<Real>(q[0]), static_cast<Real>(q[1]), static_cast<Real>(q[2]),
                         static_cast<Real>(q[3]), static_cast<Real>(q[4]), static_cast<Real>(q[5])};
    return monopole;
  }
};

template <class MemorySpace>
struct SumLeaves {
  NodeMoments<MemorySpace> node;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const OctreeNode leaf = node.nodes(i);
    if (!leaf.is_leaf()) return;
    Moments sum;
    NodeBounds bounds = empty_bounds();
    for (Count row = leaf.begin; row < leaf.end; ++row) {
      const double m = static_cast<double>(node.masses(row));
      sum.mass += m;
      NodeBounds here;
      for (int a = 0; a < 3; ++a) {
        const Real x = node.points(row, a);
        sum.centre[a] += m * static_cast<double>(x);
        here.lower[a] = x;
        here.upper[a] = x;
      }
      include(bounds, here);
    }
    node.place_centre(i, sum);
    for (Count row = leaf.begin; row < leaf.end; ++row) {
      double shift[3];
      for (int a = 0; a < 3; ++a)
        shift[a] = static_cast<double>(node.points(row, a)) - sum.centre[a];
      sum.add_at(shift, static_cast<double>(node.masses(row)));
    }
    const Monopole stored = node.store(i, sum);
    double farthest = 0.0;
    for (Count row = leaf.begin; row < leaf.end; ++row) {
      double square = 0.0;
      for (int a = 0; a < 3; ++a) {
        const double d =
            static_cast<double>(node.points(row, a)) - static_cast<double>(stored.centre[a]);
        square += d * d;
      }
      if (square > farthest) farthest = square;
    }
    node.out.reach(i) = length_rounded_up(farthest);
    node.out.bounds(i) = bounds;
  }
};

template <class MemorySpace>
struct SumChildren {
  NodeMoments<MemorySpace> node;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const OctreeNode parent = node.nodes(i);
    if (parent.is_leaf()) return;
    const Count first = parent.first_child, end = first + parent.child_count;
    Moments sum;
    NodeBounds bounds = empty_bounds();
    for (Count c = first; c < end; ++c) {
      const Moments child = node.moments(c);
      sum.mass += child.mass;
      for (int a = 0; a < 3; ++a) sum.centre[a] += child.mass * child.centre[a];
      include(bounds, node.out.bounds(c));
    }
    node.place_centre(i, sum);
    for (Count c = first; c < end; ++c) {
      const Moments child = node.moments(c);
      double shift[3];
      for (int a = 0; a < 3; ++a) shift[a] = child.centre[a] - sum.centre[a];
      for (int k = 0; k < 6; ++k) sum.quadrupole[k] += child.quadrupole[k];
      sum.add_at(shift, child.mass);
    }
    const Monopole stored = node.store(i, sum);
    node.out.reach(i) = reach(stored, bounds, first, end);
    node.out.bounds(i) = bounds;
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

template <class MemorySpace>
void allocate(Multipoles<MemorySpace>& m, Count nodes) {
  if (m.monopole.extent(0) == nodes) return;
  m = {};
  const auto alloc = [](const char* array) {
    return Kokkos::view_alloc(std::string("copse::multipoles::") + array,
                              Kokkos::WithoutInitializing);
  };
  m.monopole = decltype(m.monopole)(alloc("monopole"), nodes);
  m.quadrupole = decltype(m.quadrupole)(alloc("quadrupole"), nodes);
  m.reach = decltype(m.reach)(alloc("reach"), nodes);
  m.bounds = decltype(m.bounds)(alloc("bounds"), nodes);
}

}  // namespace

template <class ExecutionSpace>
void compute_multipoles(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    Multipoles<typename ExecutionSpace::memory_space>& into) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;
  if (masses.extent(0) != points.extent(0))
    throw InputError("multipole moments need a mass for each of the " +
                     std::to_string(points.extent(0)) + " particles, and there are " +
                     std::to_string(masses.extent(0)) + " masses");
  Kokkos::Profiling::ScopedRegion region("copse::multipoles::compute");
  allocate(into, tree.size());
  const NodeMoments<MemorySpace> node{
      tree.nodes,
      tree.cells,
      points,
      masses,
      workspace.template get<Moments>("multipoles::moments", tree.size()),
      into};
  Kokkos::parallel_for("copse::multipoles::leaves", Policy(space, 0, tree.size()),
                       SumLeaves<MemorySpace>{node});
  for (int depth = tree.depths() - 2; depth >= 0; --depth) {
    const auto d = static_cast<std::size_t>(depth);
    Kokkos::parallel_for("copse::multipoles::inner",
                         Policy(space, tree.depth_begin[d], tree.depth_begin[d + 1]),
                         SumChildren<MemorySpace>{node});
  }
  space.fence("copse::multipoles::compute");
}

#define COPSE_INSTANTIATE(Space)                                                               \
  template void compute_multipoles<Space>(                                                     \
      const Space&, const Octree<Space::memory_space>&, const Points<3, Space::memory_space>&, \
      const Kokkos::View<Real*, Kokkos::LayoutLeft, Space::memory_space>&,                     \
      Workspace<Space::memory_space>&, Multipoles<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
