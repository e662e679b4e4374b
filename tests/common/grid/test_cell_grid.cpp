// Cells of a regular grid against their definition, cell by cell.
#include "common/grid/grid_points.hpp"
#include <copse/grid/cell_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

using namespace copse;

namespace {

template <int D, class T>
CellGrid<D, T> grid_of(double side, bool periodic, Count most = 100000) {
  return CellGrid<D, T>::cover({}, test::grid_upper<D, T>(), side, periodic, most);
}

/// Cells between two places along an axis, by counting.
std::uint32_t cells_apart(std::uint32_t a, std::uint32_t b, std::uint32_t n, bool periodic) {
  const std::uint32_t direct = a < b ? b - a : a - b;
  return periodic ? std::min(direct, n - direct) : direct;
}

template <int D>
void compare_near_cells(double side, bool periodic, std::uint32_t reach) {
  CAPTURE(D, side, periodic, reach);
  const auto grid = grid_of<D, double>(side, periodic);
  for (Count c = 0; c < grid.size(); ++c) {
    const auto place = grid.place_of(c);
    REQUIRE(grid.number(place) == c);
    std::vector<Count> expected, found;
    for (Count d = 0; d < grid.size(); ++d) {
      const auto other = grid.place_of(d);
      bool near = true;
      for (int a = 0; a < D; ++a)
        near = near && cells_apart(place[a], other[a], grid.cells[a], periodic) <= reach;
      if (near) expected.push_back(d);
    }
    grid.for_each_near(place, reach, [&](Count d) { found.push_back(d); });
    std::sort(found.begin(), found.end());
    REQUIRE(found == expected);
  }
}

/// The lines of a grid that have a cell at most one cell away from a place, found cell by cell.
template <int D>
void compare_adjacent_lines(double side, bool periodic) {
  CAPTURE(D, side, periodic);
  const auto grid = grid_of<D, double>(side, periodic);
  for (Count c = 0; c < grid.size(); ++c) {
    std::set<Count> expected, found;
    grid.for_each_near(grid.place_of(c), 1,
                       [&](Count d) { expected.insert(d - d % grid.cells[0]); });
    for (int k = 0; k < CellGrid<D, double>::adjacent_lines; ++k) {
      Count first = 0;
      if (!grid.adjacent_line(grid.place_of(c), k, first)) continue;
      REQUIRE(found.insert(first).second);
    }
    REQUIRE(found == expected);
  }
}

template <int D, class T>
void compare_distances(double side, bool periodic) {
  CAPTURE(D, sizeof(T), side, periodic);
  const Count n = 300;
  const auto points = test::grid_points<D, T>(n, 11);
  const auto upper = test::grid_upper<D, T>();
  const auto grid = grid_of<D, T>(side, periodic);
  for (const double factor : {0.3, 1.0, 1.7, 3.0}) {
    const T distance = static_cast<T>(factor * side);
    const std::uint32_t reach = grid.cells_within(distance);
    for (Count i = 0; i < n; ++i)
      for (Count j = 0; j < n; ++j) {
        const auto x = test::point_of<D, T>(points, i), y = test::point_of<D, T>(points, j);
        bool close = true, near = true;
        for (int a = 0; a < D; ++a) {
          T d = std::abs(x[a] - y[a]);
          if (periodic) d = std::min(d, upper[a] - d);
          close = close && d <= distance;
          near = near && cells_apart(grid.coordinate(x[a], a), grid.coordinate(y[a], a),
                                     grid.cells[a], periodic) <= reach;
        }
        if (close) REQUIRE(near);
      }
  }
}

}  // namespace

TEST_CASE("Near cells are those at most so many cells away on every axis, each once", "[grid]") {
  for (const bool periodic : {false, true})
    for (const std::uint32_t reach : {0u, 1u, 2u, 3u})
      for (const double side : {0.9, 0.4, 0.17}) {
        compare_near_cells<1>(side, periodic, reach);
        compare_near_cells<2>(side, periodic, reach);
        if (side > 0.2) compare_near_cells<3>(side, periodic, reach);
      }
}

TEST_CASE("Adjacent lines are those of the near cells, each once", "[grid]") {
  for (const bool periodic : {false, true})
    for (const double side : {0.9, 0.4, 0.3, 0.17}) {
      compare_adjacent_lines<1>(side, periodic);
      compare_adjacent_lines<2>(side, periodic);
      if (side > 0.2) compare_adjacent_lines<3>(side, periodic);
    }
}

TEST_CASE("Points within a distance are in cells within the reach of that distance", "[grid]") {
  for (const bool periodic : {false, true})
    for (const double side : {0.31, 0.1}) {
      compare_distances<1, double>(side, periodic);
      compare_distances<2, double>(side, periodic);
      compare_distances<3, double>(side, periodic);
      compare_distances<2, float>(side, periodic);
      compare_distances<3, float>(side, periodic);
    }
}

TEST_CASE("Sides are at least as long as asked for, and cells at most as many", "[grid]") {
  for (const double side : {5.0, 0.3, 0.01, 1e-6})
    for (const Count most : {Count{1}, Count{100}, Count{100000}}) {
      const auto grid = grid_of<3, double>(side, false, most);
      CHECK(grid.size() <= most);
      for (int a = 0; a < 3; ++a) {
        const double extent = 1.0 + 0.5 * a;
        CHECK((grid.cells[a] == 1 || extent / grid.cells[a] >= side));
      }
    }
}

TEST_CASE("Points outside a grid and NaN belong to cells at its sides", "[grid]") {
  const auto grid = grid_of<1, double>(0.1, false);
  CHECK(grid.coordinate(-5.0, 0) == 0);
  CHECK(grid.coordinate(5.0, 0) == grid.cells[0] - 1);
  CHECK(grid.coordinate(std::numeric_limits<double>::infinity(), 0) == grid.cells[0] - 1);
  CHECK(grid.coordinate(std::numeric_limits<double>::quiet_NaN(), 0) == 0);
}
