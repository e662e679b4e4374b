#include "shrinking_spheres.hpp"

#include <copse/backend/backends.hpp>

namespace copse::fof {
namespace {

struct Sphere {
  double centre[3];
  double radius;
  bool shrinks;
};

template <class MemorySpace>
using Spheres = Kokkos::View<Sphere*, Kokkos::LayoutLeft, MemorySpace>;

template <class MemorySpace>
struct StartSpheres {
  GroupCentres<MemorySpace> centres;
  PropertyTable<MemorySpace> properties;
  Spheres<MemorySpace> spheres;

  KOKKOS_FUNCTION void operator()(Count g) const {
    for (int a = 0; a < 3; ++a) spheres(g).centre[a] = centres(g, a);
    // Slightly larger, so that rounding cannot exclude the farthest member.
    spheres(g).radius = properties(g).r_max * (1.0 + 1e-9);
    spheres(g).shrinks = true;
  }
};

template <class MemorySpace>
KOKKOS_FUNCTION double distance2_to(const MemberTable<MemorySpace>& table, Count j,
                                    const Sphere& sphere) {
  double sum = 0.0;
  for (int a = 0; a < 3; ++a) {
    const double d = table.place(j, a) - sphere.centre[a];
    sum = Kokkos::fma(d, d, sum);
  }
  return sum;
}

struct Inside {
  Count members = 0;
  double mass = 0.0;
  double place[3] = {0.0, 0.0, 0.0};  ///< sum of m d

  KOKKOS_FUNCTION void join(const Inside& other) {
    members += other.members;
    mass += other.mass;
    for (int a = 0; a < 3; ++a) place[a] += other.place[a];
  }
};

template <class MemorySpace>
struct ShareInside {
  MemberTable<MemorySpace> table;
  Spheres<MemorySpace> spheres;

  KOKKOS_FUNCTION Inside operator()(Count g, Count j) const {
    Inside share;
    const Sphere& sphere = spheres(g);
    if (!sphere.shrinks || distance2_to(table, j, sphere) > sphere.radius * sphere.radius)
      return share;
    share.members = 1;
    share.mass = table.mass(j);
    // Rounded before the addition, as in group_sums.cpp.
    for (int a = 0; a < 3; ++a) share.place[a] = Kokkos::fma(share.mass, table.place(j, a), 0.0);
    return share;
  }
};

template <class MemorySpace>
struct ShrinkSpheres {
  Kokkos::View<Inside*, Kokkos::LayoutLeft, MemorySpace> inside;
  Spheres<MemorySpace> spheres;

  /// Counts the spheres that continue to shrink.
  KOKKOS_FUNCTION void operator()(Count g, Count& sum) const {
    Sphere& sphere = spheres(g);
    if (!sphere.shrinks) return;
    const Inside& found = inside(g);
    sphere.shrinks = found.members >= sphere_least_members && found.mass > 0.0;
    if (!sphere.shrinks) return;
    for (int a = 0; a < 3; ++a) sphere.centre[a] = found.place[a] / found.mass;
    sphere.radius *= sphere_shrinks_to;
    ++sum;
  }
};

template <class MemorySpace>
struct ScoreByDistance {
  MemberTable<MemorySpace> table;
  Spheres<MemorySpace> spheres;
  Kokkos::View<double*, Kokkos::LayoutLeft, MemorySpace> scores;

  KOKKOS_FUNCTION void operator()(Count j) const {
    scores(j) = distance2_to(table, j, spheres(segment_of(table.offsets, j)));
  }
};

}  // namespace

template <class ExecutionSpace>
void find_densest_spots(const ExecutionSpace& space,
                        const MemberTable<typename ExecutionSpace::memory_space>& table,
                        Count large, Workspace<typename ExecutionSpace::memory_space>& workspace,
                        const GroupCentres<typename ExecutionSpace::memory_space>& centres,
                        const PropertyTable<typename ExecutionSpace::memory_space>& properties,
                        const Kokkos::View<double*, Kokkos::LayoutLeft,
                                           typename ExecutionSpace::memory_space>& scores) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;
  const Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> offsets =
      Kokkos::subview(table.offsets, Kokkos::make_pair(Count{0}, large + 1));
  const auto tree = make_reduction_tree(space, offsets, table.largest);
  const auto spheres = workspace.template get<Sphere>("spheres::spheres", large);
  const auto sums = workspace.template get<Inside>("spheres::sums", tree.nodes());
  Kokkos::parallel_for("copse::fof::spheres::start", Range(space, 0, large),
                       StartSpheres<MemorySpace>{centres, properties, spheres});
  Count shrinking = large;
  for (int step = 0; step < sphere_most_steps && shrinking > 0; ++step) {
    const auto inside = reduce_segments("copse::fof::spheres::inside", space, tree,
                                        ShareInside<MemorySpace>{table, spheres}, sums);
    Kokkos::parallel_reduce("copse::fof::spheres::shrink", Range(space, 0, large),
                            ShrinkSpheres<MemorySpace>{inside, spheres}, shrinking);
  }
  Count members = 0;
  Kokkos::deep_copy(members, Kokkos::subview(table.offsets, large));
  Kokkos::parallel_for("copse::fof::spheres::distances", Range(space, 0, members),
                       ScoreByDistance<MemorySpace>{table, spheres, scores});
}

#define COPSE_FIND_DENSEST_SPOTS(Space)                                          \
  template void find_densest_spots(                                              \
      const Space&, const MemberTable<Space::memory_space>&, Count,              \
      Workspace<Space::memory_space>&, const GroupCentres<Space::memory_space>&, \
      const PropertyTable<Space::memory_space>&,                                 \
      const Kokkos::View<double*, Kokkos::LayoutLeft, Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_FIND_DENSEST_SPOTS)

}  // namespace copse::fof
