#include "catalogue.hpp"

#include "group_sums.hpp"
#include "member_table.hpp"
#include "principal_axes.hpp"
#include "segmented_reduction.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace copse::fof {
namespace {

void find_shape(GroupProperties& group) {
  const PrincipalAxes axes = principal_axes(group.second_moment);
  // For a flat group, rounding can make the smallest eigenvalue negative.
  for (int a = 0; a < 3; ++a) group.axis_lengths[a] = std::sqrt(std::max(axes.values[a], 0.0));
  group.major_axis = axes.axes[0];
  group.middle_axis = axes.axes[1];
  group.minor_axis = axes.axes[2];
  const double a = group.axis_lengths[0];
  group.b_over_a = a > 0.0 ? group.axis_lengths[1] / a : 0.0;
  group.c_over_a = a > 0.0 ? group.axis_lengths[2] / a : 0.0;
}

}  // namespace

template <class ExecutionSpace>
Catalogue make_catalogue(const ExecutionSpace& space,
                         const Particles<typename ExecutionSpace::memory_space>& particles,
                         const Groups<typename ExecutionSpace::memory_space>& groups,
                         Count direct_members) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Kokkos::Profiling::ScopedRegion region("copse::fof::catalogue");
  Catalogue catalogue;
  catalogue.box = particles.box;
  catalogue.has_velocity = particles.velocity.extent(0) > 0;
  catalogue.has_mass = particles.mass.extent(0) > 0;
  catalogue.has_species = particles.species.extent(0) > 0;
  const Count n = groups.size();
  if (n == 0) return catalogue;

  Workspace<MemorySpace> workspace;
  const MemberTable<MemorySpace> table = make_member_table(space, particles, groups, workspace);
  const GroupPass<MemorySpace> pass{
      table, make_reduction_tree(space, table.offsets, table.largest), workspace,
      GroupCentres<MemorySpace>("copse::fof::catalogue::centres", n),
      PropertyTable<MemorySpace>("copse::fof::catalogue::properties", n)};
  find_centres(space, pass);
  find_moments(space, pass);
  find_species_sums(space, pass, particles.species);
  find_half_mass_radii(space, pass);
  const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table.offsets);
  find_central_particles(space, pass, std::span<const Count>(offsets.data(), n + 1),
                         direct_members);

  space.fence("copse::fof::catalogue");
  catalogue.groups.resize(n);
  Kokkos::deep_copy(Kokkos::View<GroupProperties*, Kokkos::LayoutLeft, Kokkos::HostSpace,
                                 Kokkos::MemoryUnmanaged>(catalogue.groups.data(), n),
                    pass.properties);
  for (GroupProperties& group : catalogue.groups) find_shape(group);
  return catalogue;
}

#define COPSE_MAKE_CATALOGUE(Space)                                                      \
  template Catalogue make_catalogue(const Space&, const Particles<Space::memory_space>&, \
                                    const Groups<Space::memory_space>&, Count);
COPSE_FOR_EACH_BACKEND(COPSE_MAKE_CATALOGUE)

}  // namespace copse::fof
