// Oracles: plain loops over unwrapped particles in long double (reference_properties.hpp), and
// bodies with known properties.
#include "clouds.hpp"
#include "reference_properties.hpp"
#include <copse/backend/error.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstring>

namespace copse::fof {
namespace {

using Catch::Approx;
using namespace test;

double wrapped(long double x) {
  return static_cast<double>(x - std::floor(x));
}

/// The distance of two coordinates in the unit box, also across a face; infinite if one is outside.
double apart(double a, double b) {
  if (!(a >= 0.0 && a < 1.0 && b >= 0.0 && b < 1.0)) return INFINITY;
  const double d = std::fabs(a - b);
  return std::min(d, 1.0 - d);
}
constexpr double same_place = 4e-16;  // measured: 1.1e-16

/// Equal to the rounding of a few operations in double. Measured: 3.4e-16.
Approx rounded(long double value) {
  return Approx(static_cast<double>(value)).epsilon(1e-15);
}

void check_sums(const GroupProperties& found, const Cloud& cloud) {
  const ReferenceProperties expected = reference_properties(cloud);
  CHECK(found.members == cloud.size());
  CHECK(found.mass == rounded(expected.mass));
  CHECK(found.velocity_dispersion == rounded(expected.dispersion));
  CHECK(found.r_max == rounded(expected.r_max));
  CHECK(found.half_mass_radius == rounded(expected.half_mass_radius));
  int k = 0;
  for (int a = 0; a < 3; ++a) {
    CHECK(apart(found.centre_of_mass[a], wrapped(expected.centre[a])) < same_place);
    CHECK(found.mean_velocity[a] == rounded(expected.velocity[a]));
    CHECK(found.lower[a] == wrapped(expected.lower[a]));
    CHECK(found.extent[a] == expected.upper[a] - expected.lower[a]);
    for (int b = a; b < 3; ++b) {
      // Measured: 0 to 17 decimal places.
      const double scale = 1e-15 * static_cast<double>(expected.r_max * expected.r_max);
      CHECK(std::fabs(found.second_moment[k++] - static_cast<double>(expected.moment[a][b])) <=
            scale);
    }
  }
}

/// Accepts any member whose potential is minimal to within rounding.
void check_central(const GroupProperties& found, const Cloud& cloud,
                   const std::vector<LocalIndex>& rows) {
  const auto potentials = reference_potentials(cloud);
  const auto least = *std::min_element(potentials.begin(), potentials.end());
  const auto member = std::find(rows.begin(), rows.end(), found.central) - rows.begin();
  REQUIRE(member < static_cast<std::ptrdiff_t>(rows.size()));
  // Measured: 0, it is the same member. Sums of 5000 terms in double are rounded.
  CHECK(potentials[static_cast<std::size_t>(member)] == Approx(least).epsilon(1e-14));
  for (std::size_t a = 0; a < 3; ++a)
    CHECK(found.central_position[a] ==
          wrapped(cloud.position[static_cast<std::size_t>(member)][a]));
}

/// Clouds of 5000, 700, 65, 2 and 1 particles, three of them across faces of the box.
std::vector<Cloud> mixed_clouds() {
  std::mt19937 random(11);
  std::vector<Cloud> clouds(5);
  add_ball(clouds[0], random, 3000, {0.98, 0.01, 1.02}, 0.1, 1.0, true);
  add_ball(clouds[0], random, 2000, {1.08, 0.03, 0.99}, 0.1, 0.4, true);
  add_ball(clouds[1], random, 700, {0.5, 0.99, 0.25}, 0.125, 0.34, true);
  add_ball(clouds[2], random, 65, {0.25, 0.5, 0.5}, 0.0625, 0.5);
  clouds[3].add({0.999, 0.5, 0.75}, {1, 2, 3}, 1.0f);
  clouds[3].add({1.001, 0.5, 0.75}, {1, -2, 3}, 3.0f);
  clouds[4].add({0.125, 0.25, 0.75}, {4, 5, 6}, 0.5f);
  return clouds;
}

TEST_CASE("Sums over groups across the faces of a periodic box agree with unwrapped particles") {
  const auto clouds = mixed_clouds();
  const Scene scene = make_scene(clouds);
  for_each_backend([&](const auto& space) {
    const Catalogue catalogue = catalogue_on(space, scene);
    REQUIRE(catalogue.groups.size() == clouds.size());
    CHECK(catalogue.has_mass);
    CHECK(catalogue.has_velocity);
    for (std::size_t g = 0; g < clouds.size(); ++g) {
      INFO("group " << g + 1);
      CHECK(catalogue.groups[g].id == g + 1);
      check_sums(catalogue.groups[g], clouds[g]);
    }
  });
}

TEST_CASE(
    "The central particle has the least potential, or is in the densest spot of a group too "
    "large for that") {
  const auto clouds = mixed_clouds();
  const Scene scene = make_scene(clouds);
  for_each_backend([&](const auto& space) {
    const Catalogue catalogue = catalogue_on(space, scene, 1, 700);
    CHECK(catalogue.groups[0].central == scene.rows[0][reference_densest(clouds[0])]);
    for (std::size_t g = 1; g < clouds.size(); ++g)
      check_central(catalogue.groups[g], clouds[g], scene.rows[g]);
    const Catalogue direct = catalogue_on(space, scene, 1, 5000);
    check_central(direct.groups[0], clouds[0], scene.rows[0]);
    const Catalogue spheres = catalogue_on(space, scene, 1, 100);
    CHECK(spheres.groups[1].central == scene.rows[1][reference_densest(clouds[1])]);
  });
}

TEST_CASE("A close pair has the deepest potential, and no particle contributes to its own") {
  // The pair is outside a small clump of five.
  Cloud cloud;
  for (const double d : {-0.01, 0.0, 0.01}) cloud.add({0.5 + d, 0.5, 0.5});
  for (const double d : {-0.01, 0.01}) cloud.add({0.5, 0.5 + d, 0.5});
  cloud.add({0.75, 0.5, 0.5});
  cloud.add({0.75 + 0x1p-20, 0.5, 0.5});
  cloud.add({0.5, 0.75, 0.5}, {}, 30.0f);
  const Scene scene = make_scene({cloud});
  for_each_backend(
      [&](const auto& space) { CHECK(catalogue_on(space, scene).groups[0].central == 5); });
}

TEST_CASE("The catalogue has the same bits on every backend") {
  const Scene scene = make_scene(mixed_clouds());
  const Catalogue first = catalogue_on(Kokkos::Serial(), scene);
  for_each_backend([&](const auto& space) {
    const Catalogue other = catalogue_on(space, scene);
    REQUIRE(other.groups.size() == first.groups.size());
    CHECK(std::memcmp(first.groups.data(), other.groups.data(),
                      first.groups.size() * sizeof(GroupProperties)) == 0);
  });
}

TEST_CASE("Moving all particles around a periodic box moves centres and changes nothing else") {
  const auto clouds = mixed_clouds();
  const Catalogue here = catalogue_on(Kokkos::DefaultExecutionSpace(), make_scene(clouds));
  for (const Vector& shift : {Vector{0.25, 0.5, 0.875}, Vector{0.0625, -0.75, 0.0}}) {
    Catalogue there = catalogue_on(Kokkos::DefaultExecutionSpace(), make_scene(clouds, shift));
    REQUIRE(there.groups.size() == here.groups.size());
    for (std::size_t g = 0; g < here.groups.size(); ++g) {
      const GroupProperties& old = here.groups[g];
      GroupProperties& moved = there.groups[g];
      for (int a = 0; a < 3; ++a) {
        const double by = shift[static_cast<std::size_t>(a)];
        CHECK(apart(moved.centre_of_mass[a], wrapped(old.centre_of_mass[a] + by)) < same_place);
        CHECK(apart(moved.central_position[a], wrapped(old.central_position[a] + by)) < same_place);
        CHECK(apart(moved.lower[a], wrapped(old.lower[a] + by)) < same_place);
      }
      moved.centre_of_mass = old.centre_of_mass;
      moved.central_position = old.central_position;
      moved.lower = old.lower;
      CHECK(std::memcmp(&moved, &old, sizeof moved) == 0);
    }
  }
}

TEST_CASE(
    "A centre closer to a face than the number format resolves is on the face and in the box") {
  Cloud cloud;
  cloud.add({0.0, 0.5, 0.5}, {}, 1e8f);
  cloud.add({-0x1p-20, 0.5, 0.5}, {}, 1e-8f);
  const Scene scene = make_scene({cloud});
  for_each_backend([&](const auto& space) {
    CHECK(catalogue_on(space, scene).groups[0].centre_of_mass[0] == 0.0);
  });
}

TEST_CASE("A shell's members are all at its radius") {
  const double radius = 0.125;
  Cloud shell;
  for (std::size_t a = 0; a < 3; ++a)
    for (const double sign : {-1.0, 1.0}) {
      Vector x{0.0, 0.5, 1.0}, v{1.0, 1.0, 1.0};
      x[a] += sign * radius;
      v[a] += 3.0 * sign;
      shell.add(x, v, 2.0f);
    }
  const Scene scene = make_scene({shell});
  for_each_backend([&](const auto& space) {
    const GroupProperties found = catalogue_on(space, scene).groups[0];
    CHECK(found.r_max == radius);
    CHECK(found.half_mass_radius == radius);
    CHECK(found.mass == 12.0);
    for (int a = 0; a < 3; ++a) {
      CHECK(apart(found.centre_of_mass[a], a == 1 ? 0.5 : 0.0) < same_place);
      CHECK(found.mean_velocity[a] == 1.0);
      CHECK(found.lower[a] == (a == 1 ? 0.375 : 0.875));
      CHECK(found.extent[a] == 0.25);
      // Two of the six members are one radius away on each axis.
      CHECK(found.axis_lengths[a] == rounded(radius / std::sqrt(3.0)));
    }
    CHECK(found.velocity_dispersion == rounded(std::sqrt(3.0)));
    CHECK(found.b_over_a == rounded(1.0));
    CHECK(found.c_over_a == rounded(1.0));
  });
}

TEST_CASE("Shapes and axes of a turned ellipsoid are found, also of a flat and a thin one") {
  // Orthogonal directions of length 3; axes in the ratio 4 : 2 : 1, then without the third, then
  // without the second.
  const std::array<Vector, 3> direction{Vector{1, 2, 2}, Vector{2, 1, -2}, Vector{2, -2, 1}};
  const std::array<double, 3> length{0.0625, 0.03125, 0.015625};
  for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
    Cloud body;
    for (std::size_t d = 0; d < dimensions; ++d)
      for (const double sign : {-1.0, 1.0})
        body.add({0.5 + sign * length[d] * direction[d][0],
                  0.5 + sign * length[d] * direction[d][1],
                  0.5 + sign * length[d] * direction[d][2]});
    const Scene scene = make_scene({body});
    const GroupProperties found = catalogue_on(Kokkos::DefaultExecutionSpace(), scene).groups[0];
    CHECK(found.axis_lengths[0] ==
          rounded(3.0 * length[0] / std::sqrt(static_cast<double>(dimensions))));
    // Roots of moments that should be 0. Measured: 3.7e-9.
    CHECK(found.b_over_a == rounded(dimensions > 1 ? 0.5 : 0.0).margin(1.5e-8));
    CHECK(found.c_over_a == rounded(dimensions > 2 ? 0.25 : 0.0).margin(1.5e-8));
    for (int a = 0; a < 3; ++a)
      CHECK(found.major_axis[a] == rounded(direction[0][static_cast<std::size_t>(a)] / 3.0));
    if (dimensions < 3) continue;
    CHECK(std::fabs(found.middle_axis[0]) == rounded(2.0 / 3.0));
    CHECK(std::fabs(found.minor_axis[1]) == rounded(2.0 / 3.0));
  }
}

TEST_CASE("The centre of a large group of two clumps is the denser clump, not the middle") {
  std::mt19937 random(2);
  Cloud cloud;
  add_ball(cloud, random, 3000, {0.2, 0.5, 0.5}, 0.05, 2.0);
  add_ball(cloud, random, 4000, {0.4, 0.5, 0.5}, 0.2, 1.0 / 3.0);
  const Scene scene = make_scene({cloud});
  for_each_backend([&](const auto& space) {
    const GroupProperties found = catalogue_on(space, scene).groups[0];
    CHECK(found.centre_of_mass[0] > 0.29);
    // Measured: 5.6e-6. Other standard libraries draw other particles.
    for (int a = 0; a < 3; ++a)
      CHECK(std::fabs(found.central_position[a] - (a == 0 ? 0.2 : 0.5)) < 1e-4);
  });
}

TEST_CASE("A particle that outweighs all others determines the half-mass radius alone") {
  Cloud cloud;
  for (int i = 1; i <= 1000; ++i) cloud.add({0.5 + 1e-4 * i, 0.5, 0.5}, {}, 1e-8f);
  cloud.add({0.5, 0.5, 0.5}, {}, 1e8f);
  const Scene scene = make_scene({cloud});
  for_each_backend([&](const auto& space) {
    const GroupProperties found = catalogue_on(space, scene).groups[0];
    // The others weigh 1e-13 of it and are 0.05 away in the mean. Measured: 5e-15.
    CHECK(found.half_mass_radius < 2e-14);
    CHECK(std::fabs(found.centre_of_mass[0] - 0.5) < 2e-14);
    CHECK(found.r_max == Approx(0.1).epsilon(1e-5));  // measured: 3.9e-6, of a position in float
  });
}

TEST_CASE(
    "Without masses and velocities members count equally, and in an isolated box nothing wraps") {
  Cloud line;
  for (const double x : {0.0, 0.125, 0.5, 1.0}) line.add({x, 0.25, 0.25}, {1, 2, 3}, 7.0f);
  const Scene scene = make_scene({line}, {}, false, {});
  for_each_backend([&](const auto& space) {
    const Catalogue catalogue = catalogue_on(space, scene);
    CHECK_FALSE(catalogue.has_mass);
    CHECK_FALSE(catalogue.has_velocity);
    const GroupProperties& found = catalogue.groups[0];
    CHECK(found.mass == 4.0);
    CHECK(found.centre_of_mass[0] == 0.40625);
    CHECK(found.r_max == 0.59375);
    CHECK(found.half_mass_radius == 0.28125);
    CHECK(found.lower[0] == 0.0);
    CHECK(found.extent[0] == 1.0);
    CHECK(found.velocity_dispersion == 0.0);
    CHECK(found.central == 1);
  });
}

TEST_CASE("A group of one particle, or of coincident particles, has a position and size zero") {
  Cloud one, three;
  one.add({0.999, 0.5, 0.0}, {1, 2, 3}, 0.3f);
  for (int i = 0; i < 3; ++i) three.add({0.25, 0.5, 0.75}, {1, 2, 3}, 0.3f);
  const Scene scene = make_scene({three, one});
  for_each_backend([&](const auto& space) {
    const Catalogue catalogue = catalogue_on(space, scene);
    REQUIRE(catalogue.groups.size() == 2);
    CHECK(catalogue.groups[0].central == scene.rows[0][0]);
    CHECK(catalogue.groups[1].central == scene.rows[1][0]);
    for (const GroupProperties& found : catalogue.groups) {
      CHECK(found.r_max == 0.0);
      CHECK(found.half_mass_radius == 0.0);
      CHECK(found.velocity_dispersion == 0.0);
      for (int a = 0; a < 3; ++a) {
        CHECK(found.extent[a] == 0.0);
        CHECK(found.lower[a] == found.central_position[a]);
        CHECK(found.mean_velocity[a] == rounded(a + 1.0));
      }
    }
  });
}

TEST_CASE("Large groups of coincident particles have a centre, too") {
  Cloud cloud;
  for (int i = 0; i < 3000; ++i) cloud.add({0.25, 0.5, 0.75});
  const Scene scene = make_scene({cloud});
  for_each_backend([&](const auto& space) {
    const GroupProperties found = catalogue_on(space, scene).groups[0];
    CHECK(found.central == 0);
    CHECK(found.b_over_a == 0.0);
  });
}

TEST_CASE("No groups make an empty catalogue") {
  const Scene none = make_scene({});
  const Scene scene = make_scene(mixed_clouds());
  for_each_backend([&](const auto& space) {
    CHECK(catalogue_on(space, none).groups.empty());
    CHECK(catalogue_on(space, scene, 5001).groups.empty());
  });
}

TEST_CASE("Groups without a positive mass are refused") {
  for (const float mass : {0.0f, -1.0f}) {
    Cloud cloud;
    cloud.add({0.5, 0.5, 0.5}, {}, mass);
    const Scene scene = make_scene({cloud});
    for_each_backend(
        [&](const auto& space) { CHECK_THROWS_AS(catalogue_on(space, scene), InputError); });
  }
}

}  // namespace
}  // namespace copse::fof
