#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/gravity_tree.hpp>

#include <fmt/format.h>

namespace copse {
namespace {

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
  Kokkos::View<const OctreeCell*, MemorySpace> cells;
  Kokkos::View<const Monopole*, MemorySpace> monopole;
  Kokkos::View<const Real*, MemorySpace> reach;
  double theta;
  Kokkos::View<Real*, MemorySpace> opening2;

  KOKKOS_FUNCTION void operator()(Count i) const {
    opening2(i) = Kokkos::Experimental::infinity_v<Real>;
    if (theta == 0.0) return;
    const OctreeCell cell = cells(i);
    const Monopole mass = monopole(i);
    double square = 0.0;
    for (int a = 0; a < 3; ++a) {
      const double d = static_cast<double>(mass.centre[a]) - static_cast<double>(cell.centre[a]);
      square = Kokkos::fma(d, d, square);
    }
    const double side = 2.0 * static_cast<double>(cell.half_side);
    const double by_angle = side / theta + Kokkos::sqrt(square);
    // A few units in the last place more than the reach: a walk rounds the distance it compares.
    const double slack = 4.0 * static_cast<double>(Kokkos::Experimental::epsilon_v<Real>);
    const double by_reach = static_cast<double>(reach(i)) * (1.0 + slack);
    const double radius = by_angle > by_reach ? by_angle : by_reach;
    const Real rounded = static_cast<Real>(radius * radius);
    opening2(i) = radius == 0.0
                      ? Real(0)
                      : Kokkos::nextafter(rounded, Kokkos::Experimental::infinity_v<Real>);
  }
};

}  // namespace

template <class ExecutionSpace>
void make_gravity_tree(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    const Multipoles<typename ExecutionSpace::memory_space>& moments, double theta,
    GravityTree<typename ExecutionSpace::memory_space>& into) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;
  if (!(theta >= 0.0))
    throw InputError(fmt::format("the opening angle must not be negative, and is {}", theta));
  const Count rows = points.extent(0);
  if (into.bodies.extent(0) != rows) {
    into.bodies = {};
    into.bodies = decltype(into.bodies)(
        Kokkos::view_alloc("copse::gravity_tree::bodies", Kokkos::WithoutInitializing), rows);
  }
  if (into.opening2.extent(0) != tree.size()) {
    into.opening2 = {};
    into.opening2 = decltype(into.opening2)(
        Kokkos::view_alloc("copse::gravity_tree::opening2", Kokkos::WithoutInitializing),
        tree.size());
  }
  into.monopole = moments.monopole;
  into.quadrupole = moments.quadrupole;
  Kokkos::parallel_for("copse::gravity_tree::bodies", Policy(space, 0, rows),
                       PackBodies<MemorySpace>{points, masses, into.bodies});
  Kokkos::parallel_for(
      "copse::gravity_tree::opening_radii", Policy(space, 0, tree.size()),
      OpeningRadii<MemorySpace>{tree.cells, moments.monopole, moments.reach, theta, into.opening2});
  space.fence("copse::gravity_tree::make");
}

#define COPSE_INSTANTIATE(Space)                                                               \
  template void make_gravity_tree<Space>(                                                      \
      const Space&, const Octree<Space::memory_space>&, const Points<3, Space::memory_space>&, \
      const Kokkos::View<Real*, Kokkos::LayoutLeft, Space::memory_space>&,                     \
      const Multipoles<Space::memory_space>&, double, GravityTree<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
