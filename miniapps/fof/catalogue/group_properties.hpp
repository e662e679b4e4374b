#pragma once
/// \file
/// One row of the catalogue: what is known of a group of friends.
///
/// Units are those of the particles; a particle without a mass has mass 1. Every member has 8 bytes
/// or is an array of such, so that writers can go over a column with a fixed stride.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse::fof {

struct GroupProperties {
  using Vector = Kokkos::Array<double, 3>;

  Count id;       ///< 1 for the largest group
  Count members;  ///< particles
  double mass;

  Vector centre_of_mass;       ///< within the box
  Count central;               ///< row of the central particle, see central_particle.hpp
  Vector central_position;     ///< of that particle
  Vector mean_velocity;        ///< weighted by mass
  double velocity_dispersion;  ///< in one dimension: sqrt(sum m |v - <v>|^2 / (3 sum m))

  double r_max;             ///< from the centre of mass to the farthest member
  double half_mass_radius;  ///< around the centre of mass: the nearest members with half the mass
  Vector lower;             ///< corner of the bounding box, within the box
  Vector extent;            ///< of the bounding box, which may cross faces of the box

  Kokkos::Array<double, 6> second_moment;  ///< sum m d d^T / sum m: xx, xy, xz, yy, yz, zz
  Vector axis_lengths;                     ///< a >= b >= c: roots of its eigenvalues
  Vector major_axis;                       ///< unit vectors, their largest component positive
  Vector middle_axis;
  Vector minor_axis;
  double b_over_a;  ///< 0 if a is 0
  double c_over_a;

  Count level;   ///< 0, or more for groups within groups
  Count parent;  ///< id of the group one level above that holds this one; 0 on level 0

  Kokkos::Array<Count, 4> members_by_species;  ///< in the order of `Species`
  Kokkos::Array<double, 4> mass_by_species;
};

static_assert(std::is_standard_layout_v<GroupProperties> &&
              std::is_trivially_copyable_v<GroupProperties> && sizeof(GroupProperties) % 8 == 0);

template <class MemorySpace>
using PropertyTable = Kokkos::View<GroupProperties*, Kokkos::LayoutLeft, MemorySpace>;

}  // namespace copse::fof
