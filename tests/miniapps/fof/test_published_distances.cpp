/// The friendship tests of [Wood 2014], each as printed, compared with the definition of this
/// suite.

#include "few_particles.hpp"

#include <array>
#include <cmath>

namespace copse::fof::test {
namespace {

/// x + y + z of a difference.
Real added_up(const RealVector& a, const RealVector& b) {
  return (a[0] - b[0]) + (a[1] - b[1]) + (a[2] - b[2]);
}

/// Distance6DKDTree of the appendix and the comparison after it, as published: components are added
/// before squaring, and a sum of zero is not a friend.
bool published_friends_6d_tree(const FewParticles& p, LocalIndex i, LocalIndex j,
                               const LinkingLengths& links) {
  const Real x = added_up(p.position[i], p.position[j]) / static_cast<Real>(links.length);
  const Real v = added_up(p.velocity[i], p.velocity[j]) / static_cast<Real>(links.velocity);
  const Real sum = x * x + v * v;
  return sum < 1 && sum != 0;
}

/// checkDistance6D of the appendix, as published: squares a value that is already squared, and
/// divides only once by a single linking length.
bool published_friends_6d_brute(const FewParticles& p, LocalIndex i, LocalIndex j, Real link) {
  const auto term = [link](Real sum) { return std::pow(sum * sum / link, Real(2)); };
  const Real sum =
      term(added_up(p.position[i], p.position[j])) + term(added_up(p.velocity[i], p.velocity[j]));
  return sum < 1 && sum != 0;
}

/// Two particles with this separation in space and velocity.
FewParticles two_particles(const RealVector& x, const RealVector& v = {}) {
  return {{RealVector{}, x}, {RealVector{}, v}};
}

Groups published_tree_groups(const FewParticles& p, const LinkingLengths& links) {
  return groups_where(p.size(), [&](LocalIndex i, LocalIndex j) {
    return published_friends_6d_tree(p, i, j, links);
  });
}

const Groups together{0, 0};
const Groups apart{0, 1};

TEST_CASE("Published 6-D distance: opposite components cancel, so strangers are friends") {
  const LinkingLengths links{.length = 2, .velocity = 2};
  for (const auto& far : {two_particles({100, -99, 0}), two_particles({1, 0, 0}, {50, 0, -50})}) {
    CHECK(published_tree_groups(far, links) == together);
    CHECK(right_groups(far, links) == apart);
  }
}

TEST_CASE("Published 6-D distance: components add up, so friends are strangers") {
  const LinkingLengths links{.length = 2, .velocity = 2};
  const auto near = two_particles({1, 1, 1});
  CHECK(published_tree_groups(near, links) == apart);
  CHECK(right_groups(near, links) == together);
}

TEST_CASE("Published 6-D distance: components that cancel to nothing are dropped") {
  const LinkingLengths links{.length = 2, .velocity = 2};
  const auto near = two_particles({1, -1, 0});
  CHECK(published_tree_groups(near, links) == apart);
  CHECK(right_groups(near, links) == together);
}

TEST_CASE("Published brute force in 6-D: the fourth power shortens the linking length") {
  const LinkingLengths links{.length = 200, .velocity = 200};
  // Along one axis, where adding before squaring has no effect.
  const auto at = [](Real x) { return two_particles({x, 0, 0}); };
  const auto published = [](const FewParticles& p) {
    return groups_where(
        2, [&](LocalIndex i, LocalIndex j) { return published_friends_6d_brute(p, i, j, 200); });
  };
  CHECK(published(at(14)) == together);
  CHECK(published(at(15)) == apart);  // the square root of 200 is 14.1
  CHECK(right_groups(at(15), links) == together);
  CHECK(right_groups(at(199), links) == together);
}

TEST_CASE("Published tests drop pairs at distance zero, not only the particle itself") {
  const FewParticles coincident{{RealVector{3, 4, 5}, RealVector{3, 4, 5}}, {}};
  const auto published = groups_where(2, [&](LocalIndex i, LocalIndex j) {
    const Real d = distance(coincident.position[i], coincident.position[j]);
    return d < 200 && d != 0;
  });
  CHECK(published == apart);
  CHECK(right_groups(coincident, {.length = 200, .velocity = no_velocity_link}) == together);

  const auto also_in_velocity = two_particles({}, {});
  const LinkingLengths links{.length = 200, .velocity = 200};
  CHECK(published_tree_groups(also_in_velocity, links) == apart);
  CHECK(right_groups(also_in_velocity, links) == together);
}

TEST_CASE("Published programs disagree about pairs exactly one linking length apart") {
  const auto p = two_particles({0.5, 0, 0});
  const LinkingLengths strict{.length = 0.5, .velocity = 1};
  const Real d = distance(p.position[0], p.position[1]), l = Real(0.5);
  const bool brute_force = d < l && d != 0;
  const bool kd_tree_3d = d <= l && d != 0;
  const bool kd_tree_6d = published_friends_6d_tree(p, 0, 1, strict);
  const bool spanning_tree = !(d > l);  // edges longer than l are deleted
  CHECK(std::array{brute_force, kd_tree_3d, kd_tree_6d, spanning_tree} ==
        std::array{false, true, false, true});
  CHECK(right_groups(p, strict) == apart);
  CHECK(right_groups(p, {.length = 0.5, .velocity = 1, .inclusive = true}) == together);
}

TEST_CASE("Published distances cut a group that lies across a periodic boundary") {
  const FewParticles p{
      {RealVector{Real(0.02), Real(0.5), Real(0.5)}, RealVector{Real(0.98), Real(0.5), Real(0.5)}},
      {}};
  const auto published = groups_where(2, [&](LocalIndex i, LocalIndex j) {
    return distance(p.position[i], p.position[j]) < Real(0.1);
  });
  CHECK(published == apart);
  CHECK(right_groups(p, {.length = 0.1, .velocity = no_velocity_link}, unit_box<3>(true)) ==
        together);
}

}  // namespace
}  // namespace copse::fof::test
