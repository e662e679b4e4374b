#include "group_sums.hpp"

#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

namespace copse::fof {
namespace {

constexpr double greatest = Kokkos::Experimental::finite_max_v<double>;

struct CentreSums {
  double mass = 0.0;
  double place[3] = {0.0, 0.0, 0.0};     ///< sum of m d
  double momentum[3] = {0.0, 0.0, 0.0};  ///< sum of m v
  double lower[3] = {greatest, greatest, greatest};
  double upper[3] = {-greatest, -greatest, -greatest};

  KOKKOS_FUNCTION void join(const CentreSums& other) {
    mass += other.mass;
    for (int a = 0; a < 3; ++a) {
      place[a] += other.place[a];
      momentum[a] += other.momentum[a];
      if (other.lower[a] < lower[a]) lower[a] = other.lower[a];
      if (other.upper[a] > upper[a]) upper[a] = other.upper[a];
    }
  }
};

/// a * b, rounded before any following addition. A compiler may or may not contract a product and a
/// sum, but it never contracts an explicit fma.
KOKKOS_FORCEINLINE_FUNCTION double rounded_product(double a, double b) {
  return Kokkos::fma(a, b, 0.0);
}

template <class MemorySpace>
struct CentreShare {
  MemberTable<MemorySpace> table;

  KOKKOS_FUNCTION CentreSums operator()(Count, Count j) const {
    CentreSums share;
    const double m = table.mass(j);
    share.mass = m;
    for (int a = 0; a < 3; ++a) {
      const double d = table.place(j, a);
      share.place[a] = rounded_product(m, d);
      share.lower[a] = d;
      share.upper[a] = d;
      if (table.velocity.extent(0) > 0)
        share.momentum[a] =
            rounded_product(m, static_cast<double>(table.velocity(table.rows(j), a)));
    }
    return share;
  }
};

template <class MemorySpace>
struct StoreCentres {
  MemberTable<MemorySpace> table;
  Kokkos::View<CentreSums*, Kokkos::LayoutLeft, MemorySpace> sums;
  GroupCentres<MemorySpace> centres;
  PropertyTable<MemorySpace> properties;

  /// Counts the groups with non-positive mass.
  KOKKOS_FUNCTION void operator()(Count g, Count& massless) const {
    const CentreSums& sum = sums(g);
    GroupProperties& group = properties(g);
    group.id = g + 1;
    group.level = 0;
    group.parent = 0;
    group.members = table.offsets(g + 1) - table.offsets(g);
    group.mass = sum.mass;
    if (!(sum.mass > 0.0 && sum.mass <= greatest)) ++massless;
    for (int a = 0; a < 3; ++a) {
      const double centre = sum.place[a] / sum.mass;
      centres(g, a) = centre;
      group.centre_of_mass[a] = table.in_box(g, centre, a);
      group.mean_velocity[a] = sum.momentum[a] / sum.mass;
      group.lower[a] = table.in_box(g, sum.lower[a], a);
      group.extent[a] = sum.upper[a] - sum.lower[a];
    }
  }
};

struct MomentSums {
  double speed2 = 0.0;  ///< sum of m |v - <v>|^2
  double moment[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  double farthest2 = 0.0;

  KOKKOS_FUNCTION void join(const MomentSums& other) {
    speed2 += other.speed2;
    for (int k = 0; k < 6; ++k) moment[k] += other.moment[k];
    if (other.farthest2 > farthest2) farthest2 = other.farthest2;
  }
};

template <class MemorySpace>
struct MomentShare {
  MemberTable<MemorySpace> table;
  GroupCentres<MemorySpace> centres;
  PropertyTable<MemorySpace> properties;

  KOKKOS_FUNCTION MomentSums operator()(Count g, Count j) const {
    MomentSums share;
    const double m = table.mass(j);
    double d[3];
    double distance2 = 0.0, speed2 = 0.0;
    for (int a = 0; a < 3; ++a) {
      d[a] = table.place(j, a) - centres(g, a);
      distance2 = Kokkos::fma(d[a], d[a], distance2);
      if (table.velocity.extent(0) > 0) {
        const double v =
            static_cast<double>(table.velocity(table.rows(j), a)) - properties(g).mean_velocity[a];
        speed2 = Kokkos::fma(v, v, speed2);
      }
    }
    share.speed2 = rounded_product(m, speed2);
    int k = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b) share.moment[k++] = rounded_product(m * d[a], d[b]);
    share.farthest2 = distance2;
    return share;
  }
};

template <class MemorySpace>
struct StoreMoments {
  Kokkos::View<MomentSums*, Kokkos::LayoutLeft, MemorySpace> sums;
  PropertyTable<MemorySpace> properties;

  KOKKOS_FUNCTION void operator()(Count g) const {
    const MomentSums& sum = sums(g);
    GroupProperties& group = properties(g);
    group.velocity_dispersion = Kokkos::sqrt(sum.speed2 / (3.0 * group.mass));
    for (int k = 0; k < 6; ++k) group.second_moment[k] = sum.moment[k] / group.mass;
    group.r_max = Kokkos::sqrt(sum.farthest2);
  }
};

struct SpeciesSums {
  Count members[4] = {0, 0, 0, 0};
  double mass[4] = {0.0, 0.0, 0.0, 0.0};

  KOKKOS_FUNCTION void join(const SpeciesSums& other) {
    for (int s = 0; s < 4; ++s) {
      members[s] += other.members[s];
      mass[s] += other.mass[s];
    }
  }
};

template <class MemorySpace>
struct SpeciesShare {
  MemberTable<MemorySpace> table;
  Kokkos::View<Species*, Kokkos::LayoutLeft, MemorySpace> species;
  KOKKOS_FUNCTION SpeciesSums operator()(Count, Count j) const {
    SpeciesSums share;
    const auto s = static_cast<int>(species(table.rows(j)));
    share.members[s] = 1;
    share.mass[s] = table.mass(j);
    return share;
  }
};

template <class MemorySpace>
struct StoreSpecies {
  Kokkos::View<SpeciesSums*, Kokkos::LayoutLeft, MemorySpace> sums;  ///< or empty
  PropertyTable<MemorySpace> properties;
  KOKKOS_FUNCTION void operator()(Count g) const {
    SpeciesSums sum;
    if (sums.extent(0) > 0) sum = sums(g);
    for (int s = 0; s < 4; ++s) {
      properties(g).members_by_species[s] = sum.members[s];
      properties(g).mass_by_species[s] = sum.mass[s];
    }
  }
};

}  // namespace

template <class ExecutionSpace>
void find_centres(const ExecutionSpace& space,
                  const GroupPass<typename ExecutionSpace::memory_space>& pass) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto sums = reduce_segments(
      "copse::fof::catalogue::centre_sums", space, pass.tree, CentreShare<MemorySpace>{pass.table},
      pass.workspace.template get<CentreSums>("catalogue::sums", pass.tree.nodes()));
  Count massless = 0;
  Kokkos::parallel_reduce(
      "copse::fof::catalogue::centres", CountRange<ExecutionSpace>(space, 0, pass.tree.segments),
      StoreCentres<MemorySpace>{pass.table, sums, pass.centres, pass.properties}, massless);
  if (massless > 0)
    throw InputError(
        fmt::format("{} of {} groups have no centre of mass, because their mass is not positive",
                    massless, pass.tree.segments));
}

template <class ExecutionSpace>
void find_moments(const ExecutionSpace& space,
                  const GroupPass<typename ExecutionSpace::memory_space>& pass) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto sums = reduce_segments(
      "copse::fof::catalogue::moment_sums", space, pass.tree,
      MomentShare<MemorySpace>{pass.table, pass.centres, pass.properties},
      pass.workspace.template get<MomentSums>("catalogue::sums", pass.tree.nodes()));
  Kokkos::parallel_for("copse::fof::catalogue::moments",
                       CountRange<ExecutionSpace>(space, 0, pass.tree.segments),
                       StoreMoments<MemorySpace>{sums, pass.properties});
}

template <class ExecutionSpace>
void find_species_sums(const ExecutionSpace& space,
                       const GroupPass<typename ExecutionSpace::memory_space>& pass,
                       const Kokkos::View<Species*, Kokkos::LayoutLeft,
                                          typename ExecutionSpace::memory_space>& species) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  StoreSpecies<MemorySpace> store{{}, pass.properties};
  if (species.extent(0) > 0)
    store.sums = reduce_segments(
        "copse::fof::catalogue::species_sums", space, pass.tree,
        SpeciesShare<MemorySpace>{pass.table, species},
        pass.workspace.template get<SpeciesSums>("catalogue::species_sums", pass.tree.nodes()));
  Kokkos::parallel_for("copse::fof::catalogue::species",
                       CountRange<ExecutionSpace>(space, 0, pass.tree.segments), store);
}

#define COPSE_GROUP_SUMS(Space)                                                    \
  template void find_centres(const Space&, const GroupPass<Space::memory_space>&); \
  template void find_moments(const Space&, const GroupPass<Space::memory_space>&); \
  template void find_species_sums(                                                 \
      const Space&, const GroupPass<Space::memory_space>&,                         \
      const Kokkos::View<Species*, Kokkos::LayoutLeft, Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_GROUP_SUMS)

}  // namespace copse::fof
