#include "group_properties.hpp"

#include "catalogue.hpp"

#include <algorithm>

namespace copse::fof {
namespace {

using Group = GroupProperties;
constexpr io::NumberType count = io::NumberType::uint64;
constexpr io::NumberType real = io::NumberType::float64;
constexpr ColumnNeeds always = ColumnNeeds::nothing;
constexpr ColumnNeeds moving = ColumnNeeds::velocity;
constexpr ColumnNeeds of_levels = ColumnNeeds::levels;
constexpr ColumnNeeds of_species = ColumnNeeds::species;

std::vector<CatalogueColumn> all_columns() {
  return {
      {"id",
       {"id"},
       "1",
       "group number, from 1: level by level, by decreasing number of members",
       count,
       offsetof(Group, id),
       always},
      {"members", {"members"}, "1", "number of particles", count, offsetof(Group, members), always},
      {"mass",
       {"mass"},
       "mass",
       "sum of the masses of the members",
       real,
       offsetof(Group, mass),
       always},
      {"centre_of_mass",
       {"x", "y", "z"},
       "length",
       "centre of mass, within the box",
       real,
       offsetof(Group, centre_of_mass),
       always},
      {"mean_velocity",
       {"vx", "vy", "vz"},
       "length / time",
       "mean velocity, weighted by mass",
       real,
       offsetof(Group, mean_velocity),
       moving},
      {"velocity_dispersion",
       {"sigma_1d"},
       "length / time",
       "dispersion in one dimension: sqrt(sum m |v - mean|^2 / (3 sum m))",
       real,
       offsetof(Group, velocity_dispersion),
       moving},
      {"r_max",
       {"r_max"},
       "length",
       "distance of the farthest member from the centre of mass",
       real,
       offsetof(Group, r_max),
       always},
      {"half_mass_radius",
       {"r_half"},
       "length",
       "distance from the centre of mass within which half of the mass lies",
       real,
       offsetof(Group, half_mass_radius),
       always},
      {"central",
       {"central"},
       "1",
       "input row of the central particle: least potential, or densest spot in large groups",
       count,
       offsetof(Group, central),
       always},
      {"central_position",
       {"central_x", "central_y", "central_z"},
       "length",
       "position of the central particle",
       real,
       offsetof(Group, central_position),
       always},
      {"lower",
       {"lower_x", "lower_y", "lower_z"},
       "length",
       "lower corner of the bounding box, which may cross faces of a periodic box",
       real,
       offsetof(Group, lower),
       always},
      {"extent",
       {"extent_x", "extent_y", "extent_z"},
       "length",
       "size of the bounding box",
       real,
       offsetof(Group, extent),
       always},
      {"second_moment",
       {"m_xx", "m_xy", "m_xz", "m_yy", "m_yz", "m_zz"},
       "length^2",
       "sum m d_i d_j / sum m about the centre of mass: xx, xy, xz, yy, yz, zz",
       real,
       offsetof(Group, second_moment),
       always},
      {"axis_lengths",
       {"a", "b", "c"},
       "length",
       "square roots of the eigenvalues of the second moment, decreasing",
       real,
       offsetof(Group, axis_lengths),
       always},
      {"major_axis",
       {"a_x", "a_y", "a_z"},
       "1",
       "unit vector of the longest axis",
       real,
       offsetof(Group, major_axis),
       always},
      {"middle_axis",
       {"b_x", "b_y", "b_z"},
       "1",
       "unit vector of the middle axis",
       real,
       offsetof(Group, middle_axis),
       always},
      {"minor_axis",
       {"c_x", "c_y", "c_z"},
       "1",
       "unit vector of the shortest axis",
       real,
       offsetof(Group, minor_axis),
       always},
      {"b_over_a",
       {"b_over_a"},
       "1",
       "middle over longest axis; 0 if all members coincide",
       real,
       offsetof(Group, b_over_a),
       always},
      {"c_over_a",
       {"c_over_a"},
       "1",
       "shortest over longest axis; 0 if all members coincide",
       real,
       offsetof(Group, c_over_a),
       always},
      {"level",
       {"level"},
       "1",
       "0 for the longest links; higher for groups within groups",
       count,
       offsetof(Group, level),
       of_levels},
      {"parent",
       {"parent"},
       "1",
       "number of the group one level above that holds this one; 0: none",
       count,
       offsetof(Group, parent),
       of_levels},
      {"members_by_species",
       {"members_gas", "members_dark", "members_star", "members_other"},
       "1",
       "numbers of gas, dark matter, star and other particles",
       count,
       offsetof(Group, members_by_species),
       of_species},
      {"mass_by_species",
       {"mass_gas", "mass_dark", "mass_star", "mass_other"},
       "mass",
       "masses of gas, dark matter, star and other particles",
       real,
       offsetof(Group, mass_by_species),
       of_species},
  };
}

}  // namespace

io::HostTable CatalogueColumn::table(const Catalogue& catalogue) const {
  io::HostTable numbers;
  numbers.type = type;
  numbers.rows = catalogue.groups.size();
  if (numbers.rows > 0)
    numbers.data = reinterpret_cast<const std::byte*>(catalogue.groups.data()) + position;
  numbers.row_stride = sizeof(Group) / io::bytes_of(type);
  if (fields.size() > 1) {
    numbers.rank = 2;
    numbers.columns = fields.size();
    numbers.column_stride = 1;
  }
  return numbers;
}

std::vector<CatalogueColumn> catalogue_columns(const Catalogue& catalogue) {
  std::vector<CatalogueColumn> columns = all_columns();
  std::erase_if(columns, [&](const CatalogueColumn& column) {
    return (column.needs == ColumnNeeds::velocity && !catalogue.has_velocity) ||
           (column.needs == ColumnNeeds::levels && !catalogue.has_levels()) ||
           (column.needs == ColumnNeeds::species && !catalogue.has_species);
  });
  return columns;
}

}  // namespace copse::fof
