#pragma once
/// \file
/// Particles in tree order, the distance between them in 3-D or 6-D, and their disjoint sets.

#include "../linker.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/union_find.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse::fof {

/// Sets of particles in tree order, where neighbours in space are close in index. Thousands of
/// packets join them concurrently on a device, few threads in order on a host.
template <class MemorySpace>
using TreeSets = UnionFind<
    MemorySpace,
    std::conditional_t<Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible,
                       SmallestFirst, ScatteredFirst>>;

template <class MemorySpace>
struct TreePoints {
  Points<3, MemorySpace> position;
  Points<3, MemorySpace> velocity;  ///< empty in 3-D

  /// The value compared with reach2, from the lanes' particles to particle `row`; `v` is used only
  /// with Velocities.
  template <class L, bool Velocities, Images images = Images::nearest>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real pair_distance2(const Friendship& rule,
                                                              const LanePoint<L, 3>& x,
                                                              const LanePoint<L, 3>& v,
                                                              Count row) const {
    const typename L::Real sum =
        rule.template distance2<L, images>(x, PointAt<3, MemorySpace>{position, row});
    if constexpr (Velocities) {
      return rule.template with_velocity2<L>(sum, v, PointAt<3, MemorySpace>{velocity, row});
    } else {
      return sum;
    }
  }
};

/// The velocities in the order of `permutation`, in scratch memory of three Reals per particle.
/// With as many `rows` they are gathered through these, which only pays on a device: on two cores
/// of a Zen 5 it takes 2 to 5 % longer than from columns. No synchronisation.
template <class ExecutionSpace, class MemorySpace, class Permutation>
Points<3, MemorySpace> velocities_in_order(
    const ExecutionSpace& space, const LinkProblem<MemorySpace>& problem,
    const Permutation& permutation,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace>& scratch,
    const Kokkos::View<Kokkos::Array<Real, 3>*, Kokkos::LayoutLeft, MemorySpace>& rows = {}) {
  const Points<3, MemorySpace> velocity(scratch.data(), problem.size());
  if (rows.extent(0) == problem.size()) {
    gather_points_through_rows("copse::fof::gather_velocity", space, problem.velocity, velocity,
                               permutation, rows);
  } else {
    gather_rows("copse::fof::gather_velocity", space, problem.velocity, velocity, permutation);
  }
  return velocity;
}

}  // namespace copse::fof
