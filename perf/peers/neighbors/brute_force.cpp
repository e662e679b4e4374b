#include "brute_force.hpp"

#include <algorithm>
#include <limits>

namespace copse::peers {
namespace {

constexpr std::size_t sample = 64;

/// True if these are k distinct points as near as the k nearest; `distances` is sorted.
bool are_nearest(const std::vector<Point>& points, const Point& query,
                 std::span<const LocalIndex> rows, const std::vector<double>& distances) {
  std::vector<LocalIndex> different(rows.begin(), rows.end());
  std::sort(different.begin(), different.end());
  if (different.back() >= points.size() ||
      std::adjacent_find(different.begin(), different.end()) != different.end())
    return false;
  std::vector<double> found;
  for (const LocalIndex row : rows) found.push_back(squared_distance(points[row], query));
  std::sort(found.begin(), found.end());
  // A library may compute in Real and confuse points whose distances round to the same value.
  const double rounding = 8 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] > distances[i] * (1.0 + rounding)) return false;
  return true;
}

}  // namespace

double squared_distance(const Point& x, const Point& y) {
  double sum = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double d = static_cast<double>(x[a]) - static_cast<double>(y[a]);
    sum += d * d;
  }
  return sum;
}

Findings compare_with_brute_force(const std::vector<Point>& points,
                                  const std::vector<Point>& queries, int k,
                                  const std::vector<LocalIndex>& rows, Real radius,
                                  const std::vector<LocalIndex>& counts) {
  Findings wrong;
  const std::size_t wanted = static_cast<std::size_t>(k);
  const std::size_t step = std::max<std::size_t>(1, queries.size() / sample);
  std::vector<double> distances(points.size());
  for (std::size_t q = 0; q < queries.size(); q += step) {
    std::transform(points.begin(), points.end(), distances.begin(),
                   [&](const Point& point) { return squared_distance(point, queries[q]); });
    std::sort(distances.begin(), distances.end());
    wrong.nearest +=
        !are_nearest(points, queries[q], std::span(rows).subspan(q * wanted, wanted), distances);
    const auto within = [&](double r) {
      return static_cast<Count>(std::upper_bound(distances.begin(), distances.end(), r * r) -
                                distances.begin());
    };
    wrong.counts += counts[q] < within(static_cast<double>(radius) * (1.0 - 1e-5)) ||
                    counts[q] > within(static_cast<double>(radius) * (1.0 + 1e-5));
  }
  return wrong;
}

}  // namespace copse::peers
