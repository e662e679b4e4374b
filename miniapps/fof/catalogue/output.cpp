#include "output.hpp"

#include "catalogue_columns.hpp"
#include <copse/config.hpp>
#include <copse/io/atomic_file.hpp>
#include <copse/io/hdf5_file.hpp>
#include <copse/io/host_table.hpp>
#include <copse/io/tipsy_writer.hpp>
#include <copse/particles/particles.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

namespace copse::fof {
namespace {

template <class T>
void write_list(io::Hdf5Writer& file, const std::string& name, const std::vector<T>& values,
                std::string_view unit, std::string_view meaning) {
  file.write(name, io::table_of(std::span<const T>(values)));
  file.attribute(name, "unit", unit);
  file.attribute(name, "meaning", meaning);
}

void write_box(io::Hdf5Writer& file, const Box<3>& box) {
  std::vector<Real> lower(3), upper(3);
  std::vector<std::int32_t> periodic(3);
  for (int a = 0; a < 3; ++a) {
    const auto i = static_cast<std::size_t>(a);
    lower[i] = box.lower[a];
    upper[i] = box.upper[a];
    periodic[i] = box.periodic[a] ? 1 : 0;
  }
  file.attribute("/", "box_lower", lower);
  file.attribute("/", "box_upper", upper);
  file.attribute("/", "periodic", periodic);
}

void write_membership(io::Hdf5Writer& file, const CatalogueFile& contents) {
  const Groups<Kokkos::HostSpace>& groups = contents.groups;
  const Count members = groups.members.extent(0);
  file.write("membership/offsets", groups.offsets);
  file.write("membership/particles", groups.members);
  const bool has_ids = contents.ids.extent(0) > 0;
  const bool has_positions = contents.position.extent(0) > 0;
  if (has_ids) {
    std::vector<GlobalId> ids(members);
    for (std::size_t j = 0; j < members; ++j) ids[j] = contents.ids(groups.members(j));
    file.write("membership/ids", io::table_of(std::span<const GlobalId>(ids)));
  }
  if (has_positions) {
    const Points<3, Kokkos::HostSpace> position("copse::fof::member_positions", members);
    for (std::size_t j = 0; j < members; ++j)
      for (int a = 0; a < 3; ++a) position(j, a) = contents.position(groups.members(j), a);
    file.write("membership/position", position);
  }
  file.write("labels", contents.labels);
  describe_membership(file, has_ids, has_positions);
}

void write_mass_function(io::Hdf5Writer& file, const MassFunction& function) {
  std::vector<double> lower, upper, per_decade;
  std::vector<Count> groups, above;
  for (const MassBin& bin : function.bins) {
    lower.push_back(bin.lower);
    upper.push_back(bin.upper);
    per_decade.push_back(bin.per_decade);
    groups.push_back(bin.groups);
    above.push_back(bin.groups_above);
  }
  const bool members = function.measure == MassMeasure::members;
  const std::string_view unit = members ? "1" : "mass";
  file.attribute("mass_function", "measure", members ? "members" : "mass");
  write_list(file, "mass_function/lower", lower, unit, "least mass of the bin");
  write_list(file, "mass_function/upper", upper, unit, "least mass above the bin");
  write_list(file, "mass_function/groups", groups, "1", "groups in the bin");
  write_list(file, "mass_function/groups_above", above, "1", "groups of at least the least mass");
  write_list(file, "mass_function/per_decade", per_decade, "length^-3",
             "dn / dlog10 M: groups per volume of the box and decade of mass");
}

/// One number of a row of eight-byte numbers as text.
void append_number(std::string& line, const io::HostTable& table, Count row, Count column) {
  const auto* bytes = static_cast<const std::byte*>(table.data) +
                      8 * (row * table.row_stride + column * table.column_stride);
  if (table.type == io::NumberType::uint64) {
    Count value;
    std::memcpy(&value, bytes, sizeof value);
    fmt::format_to(std::back_inserter(line), "{}", value);
  } else {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    fmt::format_to(std::back_inserter(line), "{}", value);
  }
}

}  // namespace

GroupTotals totals_of(const Groups<Kokkos::HostSpace>& top) {
  return {top.particles,   top.size(),     top.particles_in_groups(),
          top.min_members, top.components, top.largest};
}

void describe_membership(io::Hdf5Writer& file, bool has_ids, bool has_positions) {
  const auto describe = [&](const char* name, const char* meaning) {
    file.attribute(name, "meaning", meaning);
  };
  describe("membership/offsets",
           "group number g + 1 has entries offsets(g) to offsets(g + 1) of the other lists");
  describe("membership/particles", "input rows of the members, from 0, group by group");
  if (has_ids) {
    describe("membership/ids", "ids of the members, group by group");
    file.attribute("membership/ids", "unit", "1");
  }
  if (has_positions) describe("membership/position", "positions of the members, group by group");
  describe("labels", "smallest input row of the group of each particle, whatever the group's size");
}

void write_catalogue_tables(io::Hdf5Writer& file, const Catalogue& catalogue,
                            const GroupTotals& totals, const MassFunction* mass_function) {
  file.attribute("/", "copse_version", COPSE_VERSION);
  file.attribute("/", "particles", totals.particles);
  file.attribute("/", "groups", totals.groups);
  file.attribute("/", "particles_in_groups", totals.particles_in_groups);
  file.attribute("/", "min_members", totals.min_members);
  file.attribute("/", "components", totals.components);
  file.attribute("/", "largest", totals.largest);
  write_box(file, catalogue.box);
  for (const CatalogueColumn& column : catalogue_columns(catalogue)) {
    const std::string name = "groups/" + std::string(column.name);
    file.write(name, column.table(catalogue));
    file.attribute(name, "unit", column.unit);
    file.attribute(name, "meaning", column.meaning);
  }
  if (mass_function != nullptr) write_mass_function(file, *mass_function);
}

void write_catalogue_hdf5(const std::filesystem::path& path, const CatalogueFile& contents) {
  io::Hdf5Writer file(path);
  write_catalogue_tables(file, contents.catalogue, contents.totals, contents.mass_function);
  write_membership(file, contents);
  file.commit();
}

void write_catalogue_csv(const std::filesystem::path& path, const Catalogue& catalogue) {
  io::AtomicFile file(path);
  const std::vector<CatalogueColumn> columns = catalogue_columns(catalogue);
  std::vector<io::HostTable> tables;
  std::string line;
  for (const CatalogueColumn& column : columns) {
    tables.push_back(column.table(catalogue));
    for (const std::string_view field : column.fields)
      line.append(line.empty() ? "" : ",").append(field);
  }
  file.write(line + "\n");
  for (Count row = 0; row < catalogue.groups.size(); ++row) {
    line.clear();
    for (const io::HostTable& table : tables)
      for (Count column = 0; column < table.columns; ++column) {
        if (!line.empty()) line += ',';
        append_number(line, table, row, column);
      }
    file.write(line += '\n');
  }
  file.commit();
}

void write_group_numbers(const std::filesystem::path& path, const Groups<Kokkos::HostSpace>& groups,
                         std::span<const LocalIndex> order) {
  const std::vector<Count> numbers = group_numbers(groups);
  io::write_tipsy_array(path, io::table_of(std::span<const Count>(numbers)),
                        io::TipsyArrayFormat::ascii, order);
}

void write_group_particles(const std::filesystem::path& path, const Catalogue& catalogue,
                           double time) {
  const Count n = catalogue.groups.size();
  auto stars = allocate_particles<Kokkos::HostSpace>(
      n, {.velocity = catalogue.has_velocity, .mass = true, .species = true});
  std::vector<Real> sizes(n);
  for (Count g = 0; g < n; ++g) {
    const GroupProperties& group = catalogue.groups[g];
    stars.mass(g) = static_cast<Real>(group.mass);
    stars.species(g) = Species::star;
    sizes[g] = static_cast<Real>(group.r_max);
    for (int a = 0; a < 3; ++a) {
      stars.position(g, a) = static_cast<Real>(group.central_position[a]);
      if (catalogue.has_velocity) stars.velocity(g, a) = static_cast<Real>(group.mean_velocity[a]);
    }
  }
  io::write_tipsy(path, stars, {.time = time, .softening = sizes, .formation_time = time});
}

}  // namespace copse::fof
