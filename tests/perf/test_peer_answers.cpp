// Oracle: points whose distances from the query are known, a few roundings apart.
#include "../../perf/peers/neighbors/answers.hpp"
#include "../../perf/peers/neighbors/brute_force.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <cmath>

namespace copse::peers {
namespace {

using Catch::Matchers::WithinRel;

const std::vector<Point> origin{{0, 0, 0}};

/// A point at squared distance 1 + `more` from the origin.
Point point_at(double more) {
  return {1, static_cast<Real>(std::sqrt(more)), 0};
}

Answers answers(std::vector<LocalIndex> rows, LocalIndex count) {
  Answers made;
  made.rows = std::move(rows);
  made.counts = {count};
  return made;
}

/// What both comparisons say of row 1 where row 0 is the nearest.
void check_farther(double part, bool passes) {
  const std::vector<Point> points{point_at(0), point_at(part)};
  const double told =
      disagreement(points, origin, 1, Real(9), answers({0}, 2), answers({1}, 2)).nearest;
  CHECK_THAT(told, WithinRel(part, 1e-3));
  CHECK((told <= nearest_tolerance) == passes);
  const AnswerErrors errors = BruteForce(points, origin, 1, Real(9)).errors_of({1}, {2});
  CHECK_THAT(errors.nearest, WithinRel(part, 1e-3));
  CHECK((errors.nearest <= nearest_tolerance) == passes);
}

}  // namespace

TEST_CASE("a neighbour that is farther by three tolerances is noticed, by a third of one is not") {
  check_farther(3 * nearest_tolerance, false);
  check_farther(nearest_tolerance / 3, true);
}

TEST_CASE("a neighbour found twice, or none, is as wrong as can be") {
  const std::vector<Point> points{point_at(0), point_at(1), point_at(2)};
  const BruteForce truth(points, origin, 2, Real(9));
  CHECK(truth.errors_of({1, 0}, {3}).nearest == 0);
  CHECK(truth.errors_of({0, 0}, {3}).nearest == 1);
  CHECK(truth.errors_of({0, 3}, {3}).nearest == 1);
}

TEST_CASE("a count needs the radius that has the point on the other side of the sphere") {
  // Distances: about 1/2, 1 - 3 tolerances, 1 + 3 tolerances, 2.
  const std::vector<Point> points{{Real(0.5), 0, 0},
                                  {static_cast<Real>(1 - 3 * radius_tolerance), 0, 0},
                                  point_at(6 * radius_tolerance),
                                  {2, 0, 0}};
  const NearSphere sphere = near_sphere(points, origin.front(), Real(1));
  CHECK(sphere.radius_error(2) == 0);
  for (const Count wrong : {1, 3})
    CHECK_THAT(sphere.radius_error(wrong), WithinRel(3 * radius_tolerance, 1e-3));
  for (const Count wrong : {0, 4, 5}) CHECK(sphere.radius_error(wrong) == 1);

  for (const LocalIndex wrong : {1u, 3u}) {
    const Answers honest = answers({0}, 2), other = answers({0}, wrong);
    for (const auto& [a, b] : {std::pair(honest, other), std::pair(other, honest)}) {
      const Disagreement found = disagreement(points, origin, 1, Real(1), a, b);
      CHECK(found.counts == 1);
      CHECK(found.radius > radius_tolerance);
    }
    CHECK(BruteForce(points, origin, 1, Real(1)).errors_of({0}, {wrong}).radius > radius_tolerance);
  }
  // Two equal counts are no disagreement, even if both are wrong: brute force judges them.
  CHECK(disagreement(points, origin, 1, Real(1), answers({0}, 3), answers({0}, 3)).radius == 0);
}

TEST_CASE("a third of the radius' tolerance is rounding") {
  const std::vector<Point> points{point_at(2 * radius_tolerance / 3)};
  const double told = near_sphere(points, origin.front(), Real(1)).radius_error(1);
  CHECK(told > 0);
  CHECK(told < radius_tolerance);
}

}  // namespace copse::peers
