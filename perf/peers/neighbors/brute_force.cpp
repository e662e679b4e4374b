#include "brute_force.hpp"

#include <algorithm>
#include <cmath>

namespace copse::peers {

double squared_distance(const Point& x, const Point& y) {
  double sum = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double d = static_cast<double>(x[a]) - static_cast<double>(y[a]);
    sum += d * d;
  }
  return sum;
}

double relative_difference(double a, double b) {
  const double larger = std::max(a, b);
  return larger > 0.0 ? std::abs(a - b) / larger : 0.0;
}

double NearSphere::radius_error(Count counted) const {
  const auto inner = std::upper_bound(around.begin(), around.end(), 1.0) - around.begin();
  const Count true_count = inside + static_cast<Count>(inner);
  if (counted == true_count) return 0.0;
  if (counted < inside || counted > inside + around.size()) return 1.0;
  // The outermost point that is counted, or the innermost that is not.
  const Count at = counted - inside;
  return counted > true_count ? around[at - 1] - 1.0 : 1.0 - around[at];
}

NearSphere near_sphere(const std::vector<Point>& points, const Point& query, Real radius) {
  NearSphere sphere;
  const double r = static_cast<double>(radius);
  for (const Point& point : points) {
    const double reach = std::sqrt(squared_distance(point, query)) / r;
    if (reach < 1.0 - NearSphere::width)
      ++sphere.inside;
    else if (reach <= 1.0 + NearSphere::width)
      sphere.around.push_back(reach);
  }
  std::sort(sphere.around.begin(), sphere.around.end());
  return sphere;
}

BruteForce::BruteForce(const std::vector<Point>& points, const std::vector<Point>& queries, int k,
                       Real radius)
    : points_(points), queries_(queries) {
  const std::size_t sample = std::max<std::size_t>(64, (std::size_t{1} << 25) / points.size());
  const std::size_t step = std::max<std::size_t>(1, queries.size() / sample);
  std::vector<double> squares(points.size());
  for (std::size_t q = 0; q < queries.size(); q += step) {
    std::transform(points.begin(), points.end(), squares.begin(),
                   [&](const Point& point) { return squared_distance(point, queries[q]); });
    const auto last = squares.begin() + k;
    std::nth_element(squares.begin(), last - 1, squares.end());
    Truth truth{q, {squares.begin(), last}, near_sphere(points, queries[q], radius)};
    std::sort(truth.nearest.begin(), truth.nearest.end());
    truths_.push_back(std::move(truth));
  }
}

AnswerErrors BruteForce::errors_of(const std::vector<LocalIndex>& rows,
                                   const std::vector<LocalIndex>& counts) const {
  AnswerErrors errors;
  for (const Truth& truth : truths_) {
    errors.nearest = std::max(
        errors.nearest, nearest_error(truth, rows.data() + truth.query * truth.nearest.size()));
    errors.radius = std::max(errors.radius, truth.sphere.radius_error(counts[truth.query]));
  }
  return errors;
}

double BruteForce::nearest_error(const Truth& truth, const LocalIndex* rows) const {
  std::vector<LocalIndex> different(rows, rows + truth.nearest.size());
  std::sort(different.begin(), different.end());
  if (different.back() >= points_.size() ||
      std::adjacent_find(different.begin(), different.end()) != different.end())
    return 1.0;
  std::vector<double> found;
  for (const LocalIndex row : different)
    found.push_back(squared_distance(points_[row], queries_[truth.query]));
  std::sort(found.begin(), found.end());
  double most = 0.0;
  for (std::size_t j = 0; j < found.size(); ++j)
    most = std::max(most, relative_difference(found[j], truth.nearest[j]));
  return most;
}

}  // namespace copse::peers
