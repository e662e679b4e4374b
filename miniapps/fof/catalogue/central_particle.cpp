#include "central_particle.hpp"

#include "group_sums.hpp"
#include <copse/backend/backends.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

template <class MemorySpace>
using Scores = Kokkos::View<double*, Kokkos::LayoutLeft, MemorySpace>;

/// Sources are processed eight at a time with one partial sum per lane, so that additions are
/// independent. The order is still fixed.
constexpr Count lanes = 8;

template <class MemorySpace>
struct SumPotential {
  MemberTable<MemorySpace> table;
  Count first;  ///< first member of the first group whose potential is needed
  Scores<MemorySpace> scores;

  /// Adds the potential of members [block, block + in_use) at member j.
  KOKKOS_FORCEINLINE_FUNCTION void add_block(double (&sums)[lanes], Count j, Count block,
                                             Count in_use) const {
    for (Count l = 0; l < in_use; ++l) {
      const Count source = block + l;
      double distance2 = 0.0;
      for (int a = 0; a < 3; ++a) {
        const double d = table.place(source, a) - table.place(j, a);
        distance2 = Kokkos::fma(d, d, distance2);
      }
      const bool acts = source != j && distance2 > 0.0;
      sums[l] -= acts ? table.mass(source) / Kokkos::sqrt(distance2) : 0.0;
    }
  }

  KOKKOS_FUNCTION void operator()(Count i) const {
    const Count j = first + i;
    const Count g = segment_of(table.offsets, j);
    const Count end = table.offsets(g + 1);
    double sums[lanes] = {};
    Count block = table.offsets(g);
    for (; block + lanes <= end; block += lanes) add_block(sums, j, block, lanes);
    add_block(sums, j, block, end - block);
    double sum = 0.0;
    for (Count l = 0; l < lanes; ++l) sum += sums[l];
    scores(j) = sum;
  }
};

struct Least {
  double score = Kokkos::Experimental::finite_max_v<double>;
  Count member = ~Count{0};

  KOKKOS_FUNCTION void join(const Least& other) {
    if (other.score > score || (other.score == score && other.member > member)) return;
    score = other.score;
    member = other.member;
  }
};

template <class MemorySpace>
struct ScoreOfMember {
  Scores<MemorySpace> scores;
  KOKKOS_FUNCTION Least operator()(Count, Count j) const {
    Least least;
    least.score = scores(j);
    least.member = j;
    return least;
  }
};

template <class MemorySpace>
struct StoreCentral {
  MemberTable<MemorySpace> table;
  Kokkos::View<Least*, Kokkos::LayoutLeft, MemorySpace> least;
  PropertyTable<MemorySpace> properties;

  KOKKOS_FUNCTION void operator()(Count g) const {
    const LocalIndex row = table.rows(least(g).member);
    properties(g).central = row;
    for (int a = 0; a < 3; ++a)
      properties(g).central_position[a] = static_cast<double>(table.position(row, a));
  }
};

constexpr double sphere_shrinks_to = 0.9;
constexpr Count sphere_least_members = 100;
/// The last sphere is 1 / 38,000 of the first; further steps only occur for coincident members.
constexpr int sphere_most_steps = 100;

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

/// For the members of the first `large` groups, scores(j) becomes the squared distance of member j
/// to the density peak of its group. In a group of fewer than `sphere_least_members` members the
/// peak is the centre of mass. Call after find_moments.
template <class ExecutionSpace>
void find_densest_spots(const ExecutionSpace& space,
                        const GroupPass<typename ExecutionSpace::memory_space>& pass, Count large,
                        const Kokkos::View<double*, Kokkos::LayoutLeft,
                                           typename ExecutionSpace::memory_space>& scores) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& table = pass.table;
  auto& workspace = pass.workspace;
  const Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> offsets =
      Kokkos::subview(table.offsets, Kokkos::make_pair(Count{0}, large + 1));
  const auto tree = make_reduction_tree(space, offsets, table.largest);
  const auto spheres = workspace.template get<Sphere>("spheres::spheres", large);
  const auto sums = workspace.template get<Inside>("spheres::sums", tree.nodes());
  Kokkos::parallel_for("copse::fof::spheres::start", CountRange<ExecutionSpace>(space, 0, large),
                       StartSpheres<MemorySpace>{pass.centres, pass.properties, spheres});
  Count shrinking = large;
  for (int step = 0; step < sphere_most_steps && shrinking > 0; ++step) {
    const auto inside = reduce_segments("copse::fof::spheres::inside", space, tree,
                                        ShareInside<MemorySpace>{table, spheres}, sums);
    Kokkos::parallel_reduce("copse::fof::spheres::shrink",
                            CountRange<ExecutionSpace>(space, 0, large),
                            ShrinkSpheres<MemorySpace>{inside, spheres}, shrinking);
  }
  Count members = 0;
  Kokkos::deep_copy(members, Kokkos::subview(table.offsets, large));
  Kokkos::parallel_for("copse::fof::spheres::distances",
                       CountRange<ExecutionSpace>(space, 0, members),
                       ScoreByDistance<MemorySpace>{table, spheres, scores});
}

}  // namespace

template <class ExecutionSpace>
void find_central_particles(const ExecutionSpace& space,
                            const GroupPass<typename ExecutionSpace::memory_space>& pass,
                            std::span<const Count> offsets, Count direct_members) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& table = pass.table;
  auto& workspace = pass.workspace;
  // Sizes decrease, so the large groups come first.
  Count large = 0;
  while (large < table.groups && offsets[large + 1] - offsets[large] > direct_members) ++large;
  const auto scores = workspace.template get<double>("catalogue::scores", table.members());
  if (large > 0) find_densest_spots(space, pass, large, scores);
  // Cost is equal within a group and highest in the first groups.
  using Potentials = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>,
                                         Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for("copse::fof::catalogue::potential",
                       Potentials(space, 0, table.members() - offsets[large]),
                       SumPotential<MemorySpace>{table, offsets[large], scores});
  const auto least = reduce_segments(
      "copse::fof::catalogue::least_score", space, pass.tree, ScoreOfMember<MemorySpace>{scores},
      workspace.template get<Least>("catalogue::least", pass.tree.nodes()));
  Kokkos::parallel_for("copse::fof::catalogue::central",
                       CountRange<ExecutionSpace>(space, 0, table.groups),
                       StoreCentral<MemorySpace>{table, least, pass.properties});
}

#define COPSE_FIND_CENTRAL_PARTICLES(Space)                                                 \
  template void find_central_particles(const Space&, const GroupPass<Space::memory_space>&, \
                                       std::span<const Count>, Count);
COPSE_FOR_EACH_BACKEND(COPSE_FIND_CENTRAL_PARTICLES)

}  // namespace copse::fof
