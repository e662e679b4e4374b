// Oracles: the published groups of a cosmological snapshot (friends of friends as in the Washington
// N-body shop, b = 0.2, at least 8 members), and plain loops in long double.
#include "../../common/io/byte_builder.hpp"
#include "clouds.hpp"
#include "data_file.hpp"
#include "reference_properties.hpp"
#include "tipsy_array.hpp"
#include <copse/io/bytes/byte_source.hpp>
#include <copse/io/snapshot_reader.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fof/catalogue/catalogue.hpp>
#include <fof/reference.hpp>
#include <map>

namespace copse::fof {
namespace {

using Catch::Approx;
using namespace test;

Scene read_scene(const std::filesystem::path& folder, bool periodic) {
  Scene scene;
  scene.particles = copse::test::read_all(*io::open_snapshot(folder / "lambs.00200_subsamp_30K"));
  for (int a = 0; a < 3; ++a) {
    scene.particles.box.lower[a] = Real(-0.5);
    scene.particles.box.upper[a] = Real(0.5);
    scene.particles.box.periodic[a] = periodic;
  }
  const double b = 0.2 / std::cbrt(30000.0);
  const LinkProblem<Kokkos::HostSpace> problem{
      scene.particles.position,
      {},
      make_friendship({.length = b, .velocity = INFINITY}, scene.particles.box)};
  scene.labels = reference_labels(problem, scene.particles.box);
  return scene;
}

void check_partition(const std::vector<Count>& found, const std::filesystem::path& file) {
  const auto published = copse::test::read_tipsy_array<std::int64_t>(file);
  REQUIRE(published.particles == found.size());
  std::map<Count, std::int64_t> partner;
  std::map<std::int64_t, Count> back;
  bool same = true;
  for (Count i = 0; i < found.size(); ++i) {
    same = same && (found[i] == 0) == (published(i) == 0) &&
           partner.try_emplace(found[i], published(i)).first->second == published(i) &&
           back.try_emplace(published(i), found[i]).first->second == found[i];
  }
  CHECK(same);
}

/// The members of a group relative to its first one, unwrapped.
Cloud unwrapped(const Scene& scene, const Groups<Kokkos::HostSpace>& groups, Count g) {
  Cloud cloud;
  for (Count j = groups.offsets(g); j < groups.offsets(g + 1); ++j) {
    Vector x{}, v{};
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      const double first = scene.particles.position(groups.members(groups.offsets(g)), a);
      x[axis] = scene.particles.position(groups.members(j), a);
      if (scene.particles.box.periodic[a]) x[axis] -= std::round(x[axis] - first);
      v[axis] = scene.particles.velocity(groups.members(j), a);
    }
    cloud.position.push_back(x);
    cloud.velocity.push_back(v);
    cloud.mass.push_back(static_cast<float>(scene.particles.mass(groups.members(j))));
  }
  return cloud;
}

/// The group number of each particle, counted from 1; 0: not in a group.
std::vector<Count> group_numbers(const Groups<Kokkos::HostSpace>& groups) {
  std::vector<Count> numbers(groups.particles, 0);
  for (Count g = 0; g < groups.size(); ++g)
    for (Count j = groups.offsets(g); j < groups.offsets(g + 1); ++j)
      numbers[groups.members(j)] = g + 1;
  return numbers;
}

void check_snapshot(bool periodic, Count expected, const char* published) {
  const std::filesystem::path folder = copse::test::data_file("lambs");
  const Scene scene = read_scene(folder, periodic);
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    const auto groups =
        groups_on_host(collect_groups(space, copse::test::to_backend<Space>(scene.labels), 8));
    CHECK(groups.size() == expected);
    check_partition(group_numbers(groups), folder / published);
    const Catalogue catalogue = catalogue_on(space, scene, 8);
    for (Count g = 0; g < groups.size(); ++g) {
      const ReferenceProperties p = reference_properties(unwrapped(scene, groups, g));
      const GroupProperties& found = catalogue.groups[g];
      INFO("group " << g + 1);
      CHECK(found.mass == Approx(static_cast<double>(p.mass)).epsilon(1e-13));
      CHECK(found.r_max == Approx(static_cast<double>(p.r_max)).epsilon(1e-10));
      CHECK(found.half_mass_radius ==
            Approx(static_cast<double>(p.half_mass_radius)).epsilon(1e-6));
      CHECK(found.velocity_dispersion == Approx(static_cast<double>(p.dispersion)).epsilon(1e-10));
    }
  });
}

TEST_CASE("Groups of a periodic cosmological snapshot are the published ones") {
  check_snapshot(true, 332, "fof_b0.2_periodic_m8.grp");
}

TEST_CASE("Groups of the same snapshot in an isolated box are the published ones") {
  check_snapshot(false, 338, "fof_b0.2_isolated_m8.grp");
}

}  // namespace
}  // namespace copse::fof
