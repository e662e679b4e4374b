#pragma once
/// \file
/// Particles in the order of a tree, the distance that counts between them, and their sets.

#include "../linker.hpp"
#include <copse/algorithms/gather_rows.hpp>
#include <copse/algorithms/union_find.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse::fof {

/// Sets of rows in the order of a tree, which rows that are neighbours in space follow: joined by
/// thousands of packets at once on a device, and by few threads in order on a host.
template <class MemorySpace>
using TreeSets = UnionFind<
    MemorySpace,
    std::conditional_t<Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible,
                       SmallestFirst, ScatteredFirst>>;

template <class MemorySpace>
struct TreePoints {
  Points<3, MemorySpace> position;
  Points<3, MemorySpace> velocity;  ///< of no rows in 3-D

  /// What is compared with reach2, from the lanes' particles to that in row `row`; `v` counts only
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

/// The problem's velocities in the order of `permutation`, in scratch memory of three numbers a
/// row. No synchronisation.
template <class ExecutionSpace, class MemorySpace, class Permutation>
Points<3, MemorySpace> velocities_in_order(
    const ExecutionSpace& space, const LinkProblem<MemorySpace>& problem,
    const Permutation& permutation,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace>& scratch) {
  const Points<3, MemorySpace> velocity(scratch.data(), problem.size());
  gather_rows("copse::fof::gather_velocity", space, problem.velocity, velocity, permutation);
  return velocity;
}

}  // namespace copse::fof
