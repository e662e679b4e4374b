#pragma once
/// \file
/// One row of the catalogue: the properties of one group. The columns of output files: their
/// names, units and meanings in one list.
///
/// Units are those of the particles; a particle without a mass has mass 1. Every field is 8 bytes
/// long or an array of 8-byte values, so that writers can read a column with a fixed stride.

#include <copse/backend/types.hpp>
#include <copse/io/tables/host_table.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace copse::fof {

struct GroupProperties {
  using Vector = Kokkos::Array<double, 3>;

  Count id;       ///< 1 for the largest group
  Count members;  ///< number of particles
  double mass;

  Vector centre_of_mass;       ///< within the box
  Count central;               ///< index of the central particle, see central_particle.hpp
  Vector central_position;     ///< position of the central particle
  Vector mean_velocity;        ///< mass-weighted
  double velocity_dispersion;  ///< one-dimensional: sqrt(sum m |v - <v>|^2 / (3 sum m))

  double r_max;             ///< distance of the farthest member from the centre of mass
  double half_mass_radius;  ///< radius around the centre of mass that contains half the mass
  Vector lower;             ///< corner of the bounding box, within the box
  Vector extent;            ///< size of the bounding box, which may cross faces of the periodic box

  Kokkos::Array<double, 6> second_moment;  ///< sum m d d^T / sum m: xx, xy, xz, yy, yz, zz
  Vector axis_lengths;                     ///< a >= b >= c: square roots of its eigenvalues
  Vector major_axis;                       ///< unit vectors with positive largest component
  Vector middle_axis;
  Vector minor_axis;
  double b_over_a;  ///< 0 if a is 0
  double c_over_a;

  Count level;   ///< 0, or above 0 for sub-groups
  Count parent;  ///< id of the containing group one level above; 0 on level 0

  Kokkos::Array<Count, 4> members_by_species;  ///< in the order of `Species`
  Kokkos::Array<double, 4> mass_by_species;
};

static_assert(std::is_standard_layout_v<GroupProperties> &&
              std::is_trivially_copyable_v<GroupProperties> && sizeof(GroupProperties) % 8 == 0);

template <class MemorySpace>
using PropertyTable = Kokkos::View<GroupProperties*, Kokkos::LayoutLeft, MemorySpace>;

struct Catalogue;

/// What the particles must provide for a column to exist.
enum class ColumnNeeds { nothing, velocity, species, levels };

struct CatalogueColumn {
  std::string_view name;                 ///< name of the dataset
  std::vector<std::string_view> fields;  ///< one name per number, for text output
  std::string_view unit;
  std::string_view meaning;
  io::NumberType type;   ///< uint64 or float64
  std::size_t position;  ///< byte offset in GroupProperties
  ColumnNeeds needs;

  /// The values of this column for all groups.
  io::HostTable table(const Catalogue& catalogue) const;
};

/// All available columns, in file order.
std::vector<CatalogueColumn> catalogue_columns(const Catalogue& catalogue);

}  // namespace copse::fof
