#pragma once
/// \file
/// What every method of linking does: particles in, the smallest row of each particle's group out.

#include "friendship.hpp"
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::fof {

/// Particles, and which pairs of them are friends.
template <class MemorySpace>
struct LinkProblem {
  Points<3, MemorySpace> position;  ///< [n][3]; on periodic axes within the box
  Points<3, MemorySpace> velocity;  ///< [n][3], or empty in 3-D
  Friendship friendship;

  Count size() const { return position.extent(0); }
  bool has_velocity() const { return velocity.extent(0) > 0; }
};

/// labels(i) is the smallest row of the group of particle i: the same numbers from every method, on
/// every backend. A particle without friends is a group of one.
template <class MemorySpace>
using Labels = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// The same over ranks: labels(i) is the smallest row, in the order of all ranks' particles, of the
/// group of this rank's particle i.
template <class MemorySpace>
using GlobalLabels = Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace>;

/// members(i) is the number of particles, of all ranks, in the group of this rank's particle i.
template <class MemorySpace>
using GroupSizes = Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>;

/// Both, of this rank's particles.
template <class MemorySpace>
struct CountedGroups {
  GlobalLabels<MemorySpace> labels;
  GroupSizes<MemorySpace> members;
};

/// Settings of the methods; each reads what concerns it.
struct LinkOptions {
  std::uint32_t bucket_size = 0;  ///< particles in a leaf; 0: the method's choice
  int max_depth = 0;              ///< the most levels of a tree; 0: any
};

}  // namespace copse::fof
