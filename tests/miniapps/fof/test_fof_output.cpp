// Oracles: the readers of each format, which are tested with public files, and h5py.
#include "../../common/io/byte_builder.hpp"
#include "../../common/io/file_checks.hpp"
#include "../../common/io/python_oracle.hpp"
#include "clouds.hpp"
#include "tipsy_array.hpp"
#include <copse/io/hdf5/hdf5_input.hpp>
#include <copse/io/snapshot_reader.hpp>
#include <copse/io/tables/csv_table.hpp>
#include <copse/io/tipsy_writer.hpp>

#include <catch2/catch_approx.hpp>
#include <fmt/format.h>

#include <bit>
#include <fof/catalogue/output.hpp>
#include <memory>

namespace copse::fof {
namespace {

using namespace copse::test;
using namespace copse::fof::test;
using Catch::Approx;

/// Three groups of at least five members among 303 particles, one across a corner of the box.
struct Results {
  Scene scene;
  Groups<Kokkos::HostSpace> groups;
  Catalogue catalogue;
  Labels<Kokkos::HostSpace> labels;

  explicit Results(ColumnSet columns = {.velocity = true, .mass = true}, Count min_members = 5) {
    std::mt19937 random(1);
    std::vector<Cloud> clouds(6);
    add_ball(clouds[0], random, 200, {0.0, 0.0, 0.0}, 0.1, 0.5, true);
    add_ball(clouds[1], random, 80, {0.5, 0.5, 0.5}, 0.1, 0.5);
    add_ball(clouds[2], random, 20, {0.25, 0.5, 0.75}, 0.1, 0.5);
    for (std::size_t c = 3; c < 6; ++c) clouds[c].add({0.125 * static_cast<double>(c), 0.0, 0.0});
    scene = make_scene(clouds, {}, true, columns);
    const Kokkos::DefaultHostExecutionSpace space;
    labels = to_backend<Kokkos::DefaultHostExecutionSpace>(scene.labels);
    groups = collect_groups(space, labels, min_members);
    catalogue = make_catalogue(space, scene.particles, groups);
  }
};

/// Writes the results of a single rank.
struct OneRank {
  Communicator comm{MPI_COMM_SELF};
  OwnedGroups owned;
  GroupTotals totals;
  GlobalLabels<Kokkos::HostSpace> labels;
  GroupFile file;

  explicit OneRank(const Results& results, const MassFunction* function = nullptr)
      : totals(totals_of(results.groups)),
        labels("copse::test::labels", results.labels.extent(0)),
        file{owned, results.catalogue, totals, function, labels} {
    owned.particles = results.scene.particles;
    owned.columns = columns_of(owned.particles);
    owned.row = decltype(owned.row)("copse::test::rows", labels.extent(0));
    for (Count i = 0; i < labels.extent(0); ++i) {
      labels(i) = results.labels(i);
      owned.row(i) = i;
    }
    owned.groups = results.groups;
    owned.catalogue = results.catalogue;
    for (Count g = 0; g < owned.groups.size(); ++g) owned.place.push_back(owned.groups.offsets(g));
  }
  void hdf5(const std::filesystem::path& path) const { write_catalogue_hdf5(comm, path, file); }
  void numbers(const std::filesystem::path& path) const { write_group_numbers(comm, path, file); }
};

std::vector<double> numbers_of(io::Hdf5Input& file, const std::string& name, Count columns = 1) {
  const io::Hdf5Dataset set = file.open(name, io::Hdf5Input::Kind::floating_point, columns);
  std::vector<double> values(set.rows() * columns);
  set.read_rows(0, set.rows(), io::NumberType::float64, values.data());
  return values;
}

std::vector<Count> counts_of(io::Hdf5Input& file, const std::string& name) {
  const io::Hdf5Dataset set = file.open(name, io::Hdf5Input::Kind::integer, 1);
  std::vector<Count> values(set.rows());
  set.read_rows(0, set.rows(), io::NumberType::uint64, values.data());
  return values;
}

TEST_CASE("An HDF5 catalogue gives back every column, the members and the labels") {
  const ScratchFolder folder;
  Results results;
  const MassFunction function = halo_mass_function(results.catalogue, MassMeasure::members, 2);
  const Kokkos::View<GlobalId*, Kokkos::LayoutLeft, Kokkos::HostSpace> ids("ids", 303);
  for (std::size_t i = 0; i < 303; ++i) ids(i) = 5000 - i;
  results.scene.particles.id = ids;
  OneRank(results, &function).hdf5(folder / "fof.h5");
  io::FileSource source(folder / "fof.h5");
  io::Hdf5Input file(source);
  CHECK(counts_of(file, "groups/id") == std::vector<Count>{1, 2, 3});
  CHECK(counts_of(file, "groups/members") == std::vector<Count>{200, 80, 20});
  const auto mass = numbers_of(file, "groups/mass");
  const auto centre = numbers_of(file, "groups/centre_of_mass", 3);
  const auto moment = numbers_of(file, "groups/second_moment", 6);
  const auto minor = numbers_of(file, "groups/minor_axis", 3);
  const auto c_over_a = numbers_of(file, "groups/c_over_a");
  const auto dispersion = numbers_of(file, "groups/velocity_dispersion");
  const auto central = counts_of(file, "groups/central");
  REQUIRE(mass.size() == 3);
  for (std::size_t g = 0; g < 3; ++g) {
    const GroupProperties& group = results.catalogue.groups[g];
    CHECK(mass[g] == group.mass);
    CHECK(c_over_a[g] == group.c_over_a);
    CHECK(dispersion[g] == group.velocity_dispersion);
    CHECK(central[g] == group.central);
    for (std::size_t a = 0; a < 3; ++a) {
      CHECK(centre[3 * g + a] == group.centre_of_mass[a]);
      CHECK(minor[3 * g + a] == group.minor_axis[a]);
    }
    for (std::size_t k = 0; k < 6; ++k) CHECK(moment[6 * g + k] == group.second_moment[k]);
  }
  CHECK(counts_of(file, "membership/offsets") == std::vector<Count>{0, 200, 280, 300});
  const auto members = counts_of(file, "membership/particles");
  const auto member_ids = counts_of(file, "membership/ids");
  REQUIRE(members.size() == 300);
  for (std::size_t j = 0; j < 300; ++j) {
    CHECK(members[j] == results.groups.members(j));
    CHECK(member_ids[j] == 5000 - members[j]);
  }
  const auto labels = counts_of(file, "labels");
  CHECK(std::equal(labels.begin(), labels.end(), results.scene.labels.begin()));
  CHECK(counts_of(file, "mass_function/groups") == std::vector<Count>{1, 1, 1});
  CHECK(numbers_of(file, "mass_function/per_decade") == std::vector<double>{2, 2, 2});
  CHECK(file.counts("/", "components")->at(0) == 6);
  CHECK(file.counts("/", "particles")->at(0) == 303);
  CHECK(file.counts("/", "particles_in_groups")->at(0) == 300);
  CHECK(file.counts("/", "min_members")->at(0) == 5);
  CHECK(file.counts("/", "largest")->at(0) == 200);
}

TEST_CASE("h5py finds a unit and a meaning for every column") {
  const ScratchFolder folder;
  const Results results;
  OneRank(results).hdf5(folder / "fof.h5");
  run_python(folder.path(), R"(
f = h5py.File('fof.h5')
assert set(f) == {'groups', 'membership', 'labels'}
assert len(f['groups']) == 19
for name, column in f['groups'].items():
    assert len(column) == 3 and column.attrs['unit'] and column.attrs['meaning'], name
assert f['groups/axis_lengths'].shape == (3, 3) and f['groups/second_moment'].shape == (3, 6)
assert 'ids' not in f['membership']
assert list(f.attrs['periodic']) == [1, 1, 1] and list(f.attrs['box_upper']) == [1, 1, 1]
m = f['membership/particles'][:]
o = f['membership/offsets'][:]
assert [len(m[a:b]) for a, b in zip(o, o[1:])] == list(f['groups/members'])
)");
}

TEST_CASE("Group numbers are a Tipsy array with 0 for particles of no group") {
  const ScratchFolder folder;
  const Results results;
  OneRank(results).numbers(folder / "fof.grp");
  const auto numbers = read_tipsy_array<std::int64_t>(folder / "fof.grp");
  REQUIRE(numbers.particles == 303);
  for (std::size_t c = 0; c < 6; ++c)
    for (const LocalIndex row : results.scene.rows[c])
      CHECK(numbers(row) == (c < 3 ? static_cast<std::int64_t>(c) + 1 : 0));
}

/// Reads a big-endian float from a file.
float float_at(const std::vector<std::byte>& bytes, std::size_t offset) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k)
    word = word << 8 | std::to_integer<std::uint32_t>(bytes[offset + k]);
  return std::bit_cast<float>(word);
}

TEST_CASE("Groups are stars of a Tipsy file, with their size as eps and the time as tform") {
  const ScratchFolder folder;
  const Results results;
  write_group_particles(folder / "fof.gtp", results.catalogue, 0.75);
  const auto reader = io::open_snapshot(folder / "fof.gtp");
  CHECK(reader->info().by_species == std::array<Count, 4>{0, 0, 3, 0});
  const auto stars = read_all(*reader);
  const auto bytes = bytes_of_file(folder / "fof.gtp");
  REQUIRE(bytes.size() == 32 + 3 * 44);
  for (std::size_t g = 0; g < 3; ++g) {
    const GroupProperties& group = results.catalogue.groups[g];
    CHECK(static_cast<float>(stars.mass(g)) == static_cast<float>(group.mass));
    for (std::size_t a = 0; a < 3; ++a) {
      CHECK(static_cast<float>(stars.position(g, a)) ==
            static_cast<float>(group.central_position[a]));
      CHECK(static_cast<float>(stars.velocity(g, a)) == static_cast<float>(group.mean_velocity[a]));
    }
    const std::size_t record = 32 + 44 * g;
    CHECK(float_at(bytes, record + 28) == 0.0f);
    CHECK(float_at(bytes, record + 32) == 0.75f);
    CHECK(float_at(bytes, record + 36) == static_cast<float>(group.r_max));
    CHECK(float_at(bytes, record + 40) == 0.0f);
  }
}

TEST_CASE("A catalogue in text has all columns, and can be read as a file of particles") {
  const ScratchFolder folder;
  const Results results;
  write_catalogue_csv(folder / "fof.csv", results.catalogue);
  const std::string text = text_of(folder / "fof.csv");
  CHECK(
      text.starts_with("id,members,mass,x,y,z,vx,vy,vz,sigma_1d,r_max,r_half,central,central_x,"));
  const GroupProperties& first = results.catalogue.groups[0];
  CHECK(text.find(fmt::format("\n1,200,{},{},{},{},", first.mass, first.centre_of_mass[0],
                              first.centre_of_mass[1], first.centre_of_mass[2])) !=
        std::string::npos);
  CHECK(text.ends_with(fmt::format(",{},{}\n", results.catalogue.groups[2].b_over_a,
                                   results.catalogue.groups[2].c_over_a)));
  const auto centres = read_all(*io::open_snapshot(folder / "fof.csv"));
  REQUIRE(centres.size() == 3);
  for (std::size_t g = 0; g < 3; ++g) {
    CHECK(centres.id(g) == g + 1);
    CHECK(centres.mass(g) == static_cast<Real>(results.catalogue.groups[g].mass));
    CHECK(centres.position(g, 2) ==
          static_cast<Real>(results.catalogue.groups[g].centre_of_mass[2]));
    CHECK(centres.velocity(g, 1) ==
          static_cast<Real>(results.catalogue.groups[g].mean_velocity[1]));
  }
  io::CsvTable table(std::make_unique<io::FileSource>(folder / "fof.csv"), "r_half,m_zz");
  std::vector<Real> columns(6);
  table.read_rows(0, 3, columns.data(), 3, {});
  for (std::size_t g = 0; g < 3; ++g) {
    CHECK(columns[g] == static_cast<Real>(results.catalogue.groups[g].half_mass_radius));
    CHECK(columns[3 + g] == static_cast<Real>(results.catalogue.groups[g].second_moment[5]));
  }
}

TEST_CASE("Velocity columns are omitted if there are no velocities") {
  const ScratchFolder folder;
  const Results results(ColumnSet{});
  write_catalogue_csv(folder / "fof.csv", results.catalogue);
  CHECK(text_of(folder / "fof.csv").starts_with("id,members,mass,x,y,z,r_max,"));
  OneRank(results).hdf5(folder / "fof.h5");
  io::FileSource source(folder / "fof.h5");
  io::Hdf5Input file(source);
  CHECK_FALSE(file.has("groups/mean_velocity"));
  CHECK_FALSE(file.has("groups/velocity_dispersion"));
  write_group_particles(folder / "fof.gtp", results.catalogue);
  CHECK(read_all(*io::open_snapshot(folder / "fof.gtp")).velocity(0, 0) == Real(0));
}

TEST_CASE("Files without groups are valid and can be read") {
  const ScratchFolder folder;
  const Results results({.velocity = true, .mass = true}, 1000);
  const MassFunction function = halo_mass_function(results.catalogue, MassMeasure::mass, 5);
  OneRank(results, &function).hdf5(folder / "fof.h5");
  io::FileSource source(folder / "fof.h5");
  io::Hdf5Input file(source);
  CHECK(counts_of(file, "groups/members").empty());
  CHECK(counts_of(file, "membership/offsets") == std::vector<Count>{0});
  CHECK(counts_of(file, "membership/particles").empty());
  CHECK(file.counts("/", "components")->at(0) == 6);
  CHECK(numbers_of(file, "mass_function/lower").empty());
  write_catalogue_csv(folder / "fof.csv", results.catalogue);
  const std::string text = text_of(folder / "fof.csv");
  CHECK(text.starts_with("id,members,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  OneRank(results).numbers(folder / "fof.grp");
  for (const auto number : read_tipsy_array<std::int64_t>(folder / "fof.grp").values)
    CHECK(number == 0);
  write_group_particles(folder / "fof.gtp", results.catalogue, 1.0);
  CHECK(bytes_of_file(folder / "fof.gtp").size() == 32);
}

TEST_CASE("Files of groups that cannot be written leave nothing behind") {
  const Results results;
  require_refuses_unwritable_paths(
      [&](const std::filesystem::path& path) { OneRank(results).hdf5(path); });
  require_refuses_unwritable_paths(
      [&](const std::filesystem::path& path) { write_catalogue_csv(path, results.catalogue); });
  require_refuses_unwritable_paths(
      [&](const std::filesystem::path& path) { OneRank(results).numbers(path); });
  require_refuses_unwritable_paths(
      [&](const std::filesystem::path& path) { write_group_particles(path, results.catalogue); });
}

}  // namespace
}  // namespace copse::fof
