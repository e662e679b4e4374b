/// The method of [Wood 2014] with a Delaunay triangulation and its minimum spanning tree (sections
/// 3.3.1, 4.1.2 to 4.1.5), as described. The triangulation is found by testing every tetrahedron in
/// integer arithmetic.

#include "few_particles.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

namespace copse::fof::test {
namespace {

using Integer = std::int64_t;
using Place = std::array<Integer, 3>;

Integer determinant(const Place& a, const Place& b, const Place& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/// The sign gives the side of the plane through a, b and c on which the fourth point lies.
Integer orientation(const Place& a, const Place& b, const Place& c, const Place& d) {
  const auto from_d = [&d](const Place& p) { return Place{p[0] - d[0], p[1] - d[1], p[2] - d[2]}; };
  return determinant(from_d(a), from_d(b), from_d(c));
}

/// True if e lies inside the sphere through four points: the lifted determinant, expanded along its
/// column of squares.
bool in_sphere(const std::array<Place, 4>& corners, const Place& e) {
  Integer lifted = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    std::array<Place, 3> others{};
    for (std::size_t i = 0, o = 0; i < 4; ++i)
      if (i != k) others[o++] = corners[i];
    Integer square = 0;
    for (std::size_t a = 0; a < 3; ++a) square += (corners[k][a] - e[a]) * (corners[k][a] - e[a]);
    lifted += (k % 2 == 0 ? -1 : 1) * square * orientation(others[0], others[1], others[2], e);
  }
  const Integer turn = orientation(corners[0], corners[1], corners[2], corners[3]);
  return turn > 0 ? lifted > 0 : lifted < 0;
}

/// Edges of the Delaunay triangulation of points of which no five lie on a sphere.
std::vector<Edge> delaunay_edges(const std::vector<Place>& places) {
  const auto n = static_cast<LocalIndex>(places.size());
  std::set<Edge> edges;
  for (LocalIndex a = 0; a < n; ++a)
    for (LocalIndex b = a + 1; b < n; ++b)
      for (LocalIndex c = b + 1; c < n; ++c)
        for (LocalIndex d = c + 1; d < n; ++d) {
          const std::array<Place, 4> corners{places[a], places[b], places[c], places[d]};
          if (orientation(corners[0], corners[1], corners[2], corners[3]) == 0) continue;
          const bool empty = std::none_of(places.begin(), places.end(), [&](const Place& e) {
            return std::find(corners.begin(), corners.end(), e) == corners.end() &&
                   in_sphere(corners, e);
          });
          if (empty) edges.insert({{a, b}, {a, c}, {a, d}, {b, c}, {b, d}, {c, d}});
        }
  return {edges.begin(), edges.end()};
}

FewParticles at_rest(const std::vector<Place>& places) {
  FewParticles particles;
  for (const Place& p : places)
    particles.position.push_back(
        {static_cast<Real>(p[0]), static_cast<Real>(p[1]), static_cast<Real>(p[2])});
  particles.velocity.resize(places.size());
  return particles;
}

/// Kruskal's algorithm, followed by a filter keep(weight) on the edges.
template <class Weight, class Keep>
Groups groups_of_spanning_tree(LocalIndex n, std::vector<Edge> edges, Weight&& weight,
                               Keep&& keep) {
  std::sort(edges.begin(), edges.end(),
            [&](const Edge& a, const Edge& b) { return weight(a) < weight(b); });
  const auto sets = singletons(n);
  std::vector<Edge> kept;
  for (const Edge& edge : edges)
    if (sets.unite(edge.first, edge.second) && keep(weight(edge))) kept.push_back(edge);
  return groups_of(n, kept);
}

TEST_CASE(
    "Published count of Delaunay edges: n. In space there can be as many as there are pairs") {
  std::vector<Place> places;
  for (Integer t = 0; t < 6; ++t) places.push_back({t, t * t, t * t * t});
  CHECK(delaunay_edges({places.begin(), places.begin() + 4}).size() == 6);
  CHECK(delaunay_edges({places.begin(), places.begin() + 5}).size() == 10);
  CHECK(delaunay_edges(places).size() == 15);
}

/// Particles 0 and 1, and a triangle around their midpoint that separates them.
const std::vector<Place> spindle{{0, 0, -4}, {0, 0, 4}, {2, 0, 0}, {-1, 2, 0}, {-1, -2, 0}};

TEST_CASE("In 3-D the spanning tree of the Delaunay triangulation has the groups of friends") {
  const auto particles = at_rest(spindle);
  const auto edges = delaunay_edges(spindle);
  CHECK(edges.size() == 9);
  CHECK(std::find(edges.begin(), edges.end(), Edge{0, 1}) == edges.end());
  for (const double length : {3.0, 4.0, 4.25, 4.5}) {
    const auto groups = groups_of_spanning_tree(
        5, edges,
        [&](const Edge& e) {
          return distance(particles.position[e.first], particles.position[e.second]);
        },
        [&](Real w) { return w < static_cast<Real>(length); });
    CHECK(groups == right_groups(particles, {.length = length, .velocity = 1}));
  }
}

TEST_CASE(
    "Published 6-D weights on a triangulation of positions: friends are not neighbours in it") {
  auto particles = at_rest(spindle);
  for (LocalIndex i = 2; i < 5; ++i) particles.velocity[i] = {Real(10 * i), 0, 0};
  const LinkingLengths links{.length = 10, .velocity = 1};
  const auto published = groups_of_spanning_tree(
      5, delaunay_edges(spindle),
      [&](const Edge& e) { return phase_distance(particles, e.first, e.second, links); },
      [](Real w) { return w < 1; });
  CHECK(published == Groups{0, 1, 2, 3, 4});
  CHECK(right_groups(particles, links) == Groups{0, 0, 2, 3, 4});
}

TEST_CASE("Published deletion of 6-D edges below 1 deletes the friends and keeps the strangers") {
  const std::vector<Place> places{{0, 0, 0}, {1, 0, 0}, {0, 9, 0}, {0, 0, 9}};
  const auto particles = at_rest(places);
  const LinkingLengths links{.length = 2, .velocity = 1};
  const auto published = groups_of_spanning_tree(
      4, delaunay_edges(places),
      [&](const Edge& e) { return phase_distance(particles, e.first, e.second, links); },
      [](Real w) { return !(w < 1); });
  CHECK(published == Groups{0, 1, 0, 0});
  CHECK(right_groups(particles, links) == Groups{0, 0, 2, 3});
}

}  // namespace
}  // namespace copse::fof::test
