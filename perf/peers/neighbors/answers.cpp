#include "answers.hpp"

#include "brute_force.hpp"

#include <algorithm>

namespace copse::peers {
namespace {

constexpr Count most_examined = 1000;

void sorted_distances(const std::vector<Point>& points, const Point& query, const LocalIndex* rows,
                      std::vector<double>& distances) {
  for (std::size_t j = 0; j < distances.size(); ++j)
    distances[j] = squared_distance(points[rows[j]], query);
  std::sort(distances.begin(), distances.end());
}

}  // namespace

Disagreement disagreement(const std::vector<Point>& points, const std::vector<Point>& queries,
                          int k, Real radius, const Answers& a, const Answers& b) {
  const std::size_t wanted = static_cast<std::size_t>(k);
  std::vector<double> in_a(wanted), in_b(wanted);
  Disagreement found;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    sorted_distances(points, queries[q], a.rows.data() + q * wanted, in_a);
    sorted_distances(points, queries[q], b.rows.data() + q * wanted, in_b);
    for (std::size_t j = 0; j < wanted; ++j)
      found.nearest = std::max(found.nearest, relative_difference(in_a[j], in_b[j]));
    if (a.counts[q] == b.counts[q] || ++found.counts > most_examined) continue;
    const NearSphere sphere = near_sphere(points, queries[q], radius);
    for (const LocalIndex counted : {a.counts[q], b.counts[q]})
      found.radius = std::max(found.radius, sphere.radius_error(counted));
  }
  return found;
}

}  // namespace copse::peers
