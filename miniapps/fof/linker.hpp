#pragma once
/// \file
/// The interface of every linking method: particles in, group labels out. The label of a group is
/// the smallest index of its particles.

#include "friendship.hpp"
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::fof {

/// Particles and the criterion that makes two of them friends.
template <class MemorySpace>
struct LinkProblem {
  Points<3, MemorySpace> position;  ///< [n][3]; inside the box on periodic axes
  Points<3, MemorySpace> velocity;  ///< [n][3], or empty in 3-D
  Friendship friendship;

  Count size() const { return position.extent(0); }
  bool has_velocity() const { return velocity.extent(0) > 0; }
};

/// labels(i) is the smallest particle index in the group of particle i. All methods give the same
/// labels on all backends. A particle without friends is a group of one.
template <class MemorySpace>
using Labels = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// The same over ranks: labels(i) is the smallest global index in the group of this rank's particle
/// i. Global indices number the particles in rank order.
template <class MemorySpace>
using GlobalLabels = Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace>;

/// members(i) is the number of particles, over all ranks, in the group of this rank's particle i.
template <class MemorySpace>
using GroupSizes = Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>;

/// Labels and group sizes of this rank's particles.
template <class MemorySpace>
struct CountedGroups {
  GlobalLabels<MemorySpace> labels;
  GroupSizes<MemorySpace> members;
};

/// Settings of the methods; each method reads those that apply to it.
struct LinkOptions {
  std::uint32_t bucket_size = 0;  ///< particles per leaf; 0: default of the method
  int max_depth = 0;              ///< maximum number of tree levels; 0: unlimited
};

}  // namespace copse::fof
