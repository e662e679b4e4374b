#include "catalogue_columns.hpp"

#include <algorithm>

namespace copse::fof {
namespace {

using Group = GroupProperties;
constexpr io::NumberType count = io::NumberType::uint64;
constexpr io::NumberType real = io::NumberType::float64;

std::vector<CatalogueColumn> all_columns() {
  return {
      {"id",
       {"id"},
       "1",
       "number of the group, by decreasing number of members, from 1",
       count,
       offsetof(Group, id),
       false},
      {"members", {"members"}, "1", "number of particles", count, offsetof(Group, members), false},
      {"mass",
       {"mass"},
       "mass",
       "sum of the masses of the members",
       real,
       offsetof(Group, mass),
       false},
      {"centre_of_mass",
       {"x", "y", "z"},
       "length",
       "centre of mass, within the box",
       real,
       offsetof(Group, centre_of_mass),
       false},
      {"mean_velocity",
       {"vx", "vy", "vz"},
       "length / time",
       "mean velocity, weighted by mass",
       real,
       offsetof(Group, mean_velocity),
       true},
      {"velocity_dispersion",
       {"sigma_1d"},
       "length / time",
       "dispersion in one dimension: sqrt(sum m |v - mean|^2 / (3 sum m))",
       real,
       offsetof(Group, velocity_dispersion),
       true},
      {"r_max",
       {"r_max"},
       "length",
       "distance of the farthest member from the centre of mass",
       real,
       offsetof(Group, r_max),
       false},
      {"half_mass_radius",
       {"r_half"},
       "length",
       "distance from the centre of mass within which half of the mass lies",
       real,
       offsetof(Group, half_mass_radius),
       false},
      {"central",
       {"central"},
       "1",
       "input row of the central particle: least potential, or densest spot in large groups",
       count,
       offsetof(Group, central),
       false},
      {"central_position",
       {"central_x", "central_y", "central_z"},
       "length",
       "position of the central particle",
       real,
       offsetof(Group, central_position),
       false},
      {"lower",
       {"lower_x", "lower_y", "lower_z"},
       "length",
       "lower corner of the bounding box, which may cross faces of a periodic box",
       real,
       offsetof(Group, lower),
       false},
      {"extent",
       {"extent_x", "extent_y", "extent_z"},
       "length",
       "size of the bounding box",
       real,
       offsetof(Group, extent),
       false},
      {"second_moment",
       {"m_xx", "m_xy", "m_xz", "m_yy", "m_yz", "m_zz"},
       "length^2",
       "sum m d_i d_j / sum m about the centre of mass: xx, xy, xz, yy, yz, zz",
       real,
       offsetof(Group, second_moment),
       false},
      {"axis_lengths",
       {"a", "b", "c"},
       "length",
       "square roots of the eigenvalues of the second moment, decreasing",
       real,
       offsetof(Group, axis_lengths),
       false},
      {"major_axis",
       {"a_x", "a_y", "a_z"},
       "1",
       "unit vector of the longest axis",
       real,
       offsetof(Group, major_axis),
       false},
      {"middle_axis",
       {"b_x", "b_y", "b_z"},
       "1",
       "unit vector of the middle axis",
       real,
       offsetof(Group, middle_axis),
       false},
      {"minor_axis",
       {"c_x", "c_y", "c_z"},
       "1",
       "unit vector of the shortest axis",
       real,
       offsetof(Group, minor_axis),
       false},
      {"b_over_a",
       {"b_over_a"},
       "1",
       "middle over longest axis; 0 if all members coincide",
       real,
       offsetof(Group, b_over_a),
       false},
      {"c_over_a",
       {"c_over_a"},
       "1",
       "shortest over longest axis; 0 if all members coincide",
       real,
       offsetof(Group, c_over_a),
       false},
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
    return column.of_velocity && !catalogue.has_velocity;
  });
  return columns;
}

}  // namespace copse::fof
