#include "tree_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace copse::peers {
namespace {

using Row = std::vector<LocalIndex>::iterator;

std::size_t longest_axis(const std::vector<Point>& points, Row begin, Row end) {
  std::array<Real, 3> extent{};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto [low, high] = std::minmax_element(
        begin, end, [&](LocalIndex i, LocalIndex j) { return points[i][a] < points[j][a]; });
    extent[a] = points[*high][a] - points[*low][a];
  }
  return static_cast<std::size_t>(std::max_element(extent.begin(), extent.end()) - extent.begin());
}

void divide(const std::vector<Point>& points, Row begin, Row end) {
  if (end - begin <= usual_leaf_points) return;
  const std::size_t axis = longest_axis(points, begin, end);
  const Row middle = begin + (end - begin) / 2;
  std::nth_element(begin, middle, end,
                   [&](LocalIndex i, LocalIndex j) { return points[i][axis] < points[j][axis]; });
  divide(points, begin, middle);
  divide(points, middle, end);
}

}  // namespace

std::vector<LocalIndex> tree_order(const std::vector<Point>& points) {
  std::vector<LocalIndex> rows(points.size());
  std::iota(rows.begin(), rows.end(), LocalIndex{0});
  divide(points, rows.begin(), rows.end());
  return rows;
}

}  // namespace copse::peers
