#include "answers.hpp"

#include "brute_force.hpp"

#include <algorithm>
#include <limits>

namespace copse::peers {
namespace {

void sorted_distances(const std::vector<Point>& points, const Point& query, const LocalIndex* rows,
                      std::vector<double>& distances) {
  for (std::size_t j = 0; j < distances.size(); ++j)
    distances[j] = squared_distance(points[rows[j]], query);
  std::sort(distances.begin(), distances.end());
}

}  // namespace

Disagreements disagreements(const std::vector<Point>& points, const std::vector<Point>& queries,
                            int k, const Answers& a, const Answers& b) {
  const double rounding = 8 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  const std::size_t wanted = static_cast<std::size_t>(k);
  std::vector<double> in_a(wanted), in_b(wanted);
  Disagreements found;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    sorted_distances(points, queries[q], a.rows.data() + q * wanted, in_a);
    sorted_distances(points, queries[q], b.rows.data() + q * wanted, in_b);
    found.nearest += !std::equal(in_a.begin(), in_a.end(), in_b.begin(), [&](double x, double y) {
      return std::abs(x - y) <= rounding * std::max(x, y);
    });
    found.counts += a.counts[q] != b.counts[q];
  }
  return found;
}

}  // namespace copse::peers
