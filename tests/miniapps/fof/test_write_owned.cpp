// Run with 1 to 3 ranks. Oracle: the files and the catalogue of a single rank, which every rank
// computes from all particles.
#include "../../common/io/file_checks.hpp"
#include "clouds.hpp"
#include <copse/io/hdf5/hdf5_input.hpp>

#include <fof/catalogue/output.hpp>
#include <fof/levels/sub_groups.hpp>

namespace copse::fof {
namespace {

using namespace copse::test;
using namespace copse::fof::test;
using Space = Kokkos::DefaultHostExecutionSpace;

/// Groups and their catalogue on two levels; level 1 splits groups by parity of the particle index.
struct Both {
  Groups<Kokkos::HostSpace> groups;
  Catalogue catalogue;
};

Both make_both(const Particles<Kokkos::HostSpace>& particles,
               const Labels<Kokkos::HostSpace>& labels, const std::vector<GlobalId>& row) {
  const Space space;
  Labels<Kokkos::HostSpace> halves("copse::test::halves", labels.extent(0));
  for (Count i = 0; i < labels.extent(0); ++i) {
    halves(i) = static_cast<LocalIndex>(i);
    for (Count j = 0; j < i; ++j)
      if (labels(j) == labels(i) && row[j] % 2 == row[i] % 2) {
        halves(i) = static_cast<LocalIndex>(j);
        break;
      }
  }
  const auto top = collect_groups(space, labels, 4);
  const auto below = collect_groups(space, halves, 4);
  Both both{groups_on_host(top), make_catalogue(space, particles, top)};
  append_level(both.groups, both.catalogue, below, make_catalogue(space, particles, below));
  return both;
}

struct Everything {
  Scene scene;
  Labels<Kokkos::HostSpace> labels;
  Both both;
  GroupTotals totals;

  Everything() {
    std::mt19937 random(3);
    std::vector<Cloud> clouds(12);
    for (std::size_t c = 0; c < 9; ++c)
      add_ball(clouds[c], random, c < 4 ? 11 : 3 + 7 * c, {uniform(random), 0.5, 0.1}, 0.05, 0.5);
    for (std::size_t c = 9; c < 12; ++c) clouds[c].add({0.0625 * static_cast<double>(c), 0.0, 0.0});
    scene = make_scene(clouds, {}, true, {.velocity = true, .mass = true});
    scene.particles.id = decltype(scene.particles.id)("copse::test::ids", scene.particles.size());
    std::vector<GlobalId> row;
    for (Count i = 0; i < scene.particles.size(); ++i) {
      scene.particles.id(i) = 7 * i + 3;
      row.push_back(i);
    }
    labels = to_backend<Space>(scene.labels);
    both = make_both(scene.particles, labels, row);
    totals = totals_of(collect_groups(Space{}, labels, 4));
  }
};

/// All groups, on a single rank.
OwnedGroups owned_alone(const Everything& all) {
  OwnedGroups owned;
  owned.particles = all.scene.particles;
  owned.columns = columns_of(all.scene.particles);
  owned.row = decltype(owned.row)("copse::test::rows", all.labels.extent(0));
  for (Count i = 0; i < all.labels.extent(0); ++i) owned.row(i) = i;
  owned.groups = all.both.groups;
  owned.catalogue = all.both.catalogue;
  Count place = 0;
  for (Count g = 0; g < owned.groups.size(); ++g) {
    owned.place.push_back(place);
    place += owned.groups.offsets(g + 1) - owned.groups.offsets(g);
  }
  return owned;
}

/// Every P-th group of level 0 with its members, as on its owner.
OwnedGroups owned_by(const Communicator& comm, const Everything& all) {
  std::vector<LocalIndex> rows;
  for (Count i = 0; i < all.labels.extent(0); ++i)
    for (Count g = static_cast<Count>(comm.rank()); g < all.totals.groups;
         g += static_cast<Count>(comm.size()))
      if (all.labels(all.both.groups.members(all.both.groups.offsets(g))) == all.labels(i))
        rows.push_back(static_cast<LocalIndex>(i));
  OwnedGroups owned;
  owned.columns = columns_of(all.scene.particles);
  owned.particles = allocate_particles<Kokkos::HostSpace>(rows.size(), owned.columns);
  owned.particles.box = all.scene.particles.box;
  owned.row = decltype(owned.row)("copse::test::rows", rows.size());
  const Labels<Kokkos::HostSpace> labels("copse::test::labels", rows.size());
  std::vector<GlobalId> row(rows.begin(), rows.end());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    owned.row(k) = rows[k];
    owned.particles.mass(k) = all.scene.particles.mass(rows[k]);
    owned.particles.id(k) = all.scene.particles.id(rows[k]);
    for (int a = 0; a < 3; ++a) {
      owned.particles.position(k, a) = all.scene.particles.position(rows[k], a);
      owned.particles.velocity(k, a) = all.scene.particles.velocity(rows[k], a);
    }
    labels(k) = static_cast<LocalIndex>(
        std::lower_bound(rows.begin(), rows.end(), all.labels(rows[k])) - rows.begin());
  }
  const Both both = make_both(owned.particles, labels, row);
  owned.groups = both.groups;
  owned.catalogue = both.catalogue;
  return owned;
}

template <class T>
std::vector<T> read_list(const std::filesystem::path& path, const std::string& name,
                         io::Hdf5Input::Kind kind, Count columns = 1) {
  io::FileSource source(path);
  io::Hdf5Input file(source);
  const io::Hdf5Dataset set = file.open(name, kind, columns);
  std::vector<T> values(set.rows() * columns);
  set.read_rows(0, set.rows(), io::number_type<T>(), values.data());
  return values;
}

TEST_CASE("Owners' groups have the numbers that one rank gives them, and so have their parents") {
  const Communicator comm;
  const Everything all;
  OwnedGroups owned = owned_by(comm, all);
  const Catalogue catalogue = number_groups(comm, owned);
  if (comm.rank() != 0) return;
  const auto& expected = all.both.catalogue;
  REQUIRE(expected.groups.size() > 14);
  REQUIRE(catalogue.groups.size() == expected.groups.size());
  CHECK(catalogue.level_begin == expected.level_begin);
  CHECK(catalogue.has_velocity);
  int wrong = 0;
  for (std::size_t g = 0; g < expected.groups.size(); ++g) {
    const GroupProperties &a = catalogue.groups[g], &b = expected.groups[g];
    wrong += a.id != b.id || a.parent != b.parent || a.level != b.level || a.members != b.members;
    wrong += a.central != b.central || a.mass != b.mass || a.r_max != b.r_max;
  }
  CHECK(wrong == 0);
}

TEST_CASE("Files that owners write in windows of any size are those of one rank") {
  const Communicator comm;
  const Everything all;
  OwnedGroups owned = owned_by(comm, all);
  const Catalogue catalogue = number_groups(comm, owned);
  const Count n = all.labels.extent(0), p = static_cast<Count>(comm.size());
  // The last rank has no particles.
  const Count parts = p > 1 ? p - 1 : 1;
  const auto begin = [&](Count r) { return n * std::min(r, parts) / parts; };
  const Count first = begin(static_cast<Count>(comm.rank()));
  const GlobalLabels<Kokkos::HostSpace> labels("copse::test::labels",
                                               begin(static_cast<Count>(comm.rank()) + 1) - first);
  for (Count i = 0; i < labels.extent(0); ++i) labels(i) = all.labels(first + i);

  const ScratchFolder folder;
  const auto one_h5 = folder / "one.h5", one_grp = folder / "one.grp";
  if (comm.rank() == 0) {
    const Communicator alone(MPI_COMM_SELF);
    const OwnedGroups whole = owned_alone(all);
    GlobalLabels<Kokkos::HostSpace> all_labels("copse::test::all_labels", n);
    for (Count i = 0; i < n; ++i) all_labels(i) = all.labels(i);
    const GroupFile one{whole, all.both.catalogue, all.totals, nullptr, all_labels, 0};
    write_catalogue_hdf5(alone, one_h5, one);
    write_group_numbers(alone, one_grp, one);
  }
  const GroupFile file{owned, catalogue, all.totals, nullptr, labels, first};
  for (const Count window : {Count{1}, Count{7}, Count{64}, Count{100000}}) {
    INFO("windows of " << window);
    const auto h5 = folder / "owned.h5", grp = folder / "owned.grp";
    write_catalogue_hdf5(comm, h5, file, window);
    write_group_numbers(comm, grp, file, window);
    if (comm.rank() != 0) continue;
    using Kind = io::Hdf5Input::Kind;
    for (const char* name : {"membership/offsets", "membership/particles", "membership/ids",
                             "labels", "groups/id", "groups/parent", "groups/central"})
      CHECK(read_list<Count>(h5, name, Kind::integer) ==
            read_list<Count>(one_h5, name, Kind::integer));
    CHECK(read_list<double>(h5, "membership/position", Kind::floating_point, 3) ==
          read_list<double>(one_h5, "membership/position", Kind::floating_point, 3));
    CHECK(text_of(grp) == text_of(one_grp));
  }
}

}  // namespace
}  // namespace copse::fof
