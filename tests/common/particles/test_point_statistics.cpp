// Oracles: the properties in each model's description, measured on the points alone.
#include "generated_on_host.hpp"
#include <copse/particles/point_models.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <map>
#include <set>

using namespace copse;

namespace {

template <int Dim>
Points<Dim, Kokkos::HostSpace> points_of(const std::string& name, Count n) {
  return generate_points<Dim>(Kokkos::DefaultHostExecutionSpace{}, {name, n, 3}, 0, n);
}

template <class View>
std::vector<double> column(const View& points, int axis) {
  std::vector<double> x;
  for (Count i = 0; i < points.extent(0); ++i) x.push_back(points(i, axis));
  return x;
}

double mean_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = mean_of(x);
  const double my = mean_of(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

std::size_t different_values(const std::vector<double>& x) {
  return std::set<double>(x.begin(), x.end()).size();
}

/// The number of points in each occupied cell of a grid with `cells` cells per axis of the unit
/// cube.
template <int Dim, class View>
std::map<std::array<int, Dim>, Count> cells_of(const View& points, int cells) {
  std::map<std::array<int, Dim>, Count> counts;
  for (Count i = 0; i < points.extent(0); ++i) {
    std::array<int, Dim> cell;
    for (int a = 0; a < Dim; ++a)
      cell[static_cast<std::size_t>(a)] =
          std::min(cells - 1, static_cast<int>(points(i, a) * static_cast<Real>(cells)));
    ++counts[cell];
  }
  return counts;
}

/// Distribution function of the normal one around 1/2 with sigma 1/8, cut to the unit interval.
double blob(double x) {
  const auto phi = [](double t) { return 0.5 * std::erfc(-t / std::sqrt(2.0)); };
  return (phi((x - 0.5) / 0.125) - phi(-4.0)) / (phi(4.0) - phi(-4.0));
}

}  // namespace

TEST_CASE("A blob is normal along every axis, whatever the dimension") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    const auto points = points_of<Dim>("normal", 20000);
    for (int a = 0; a < Dim; ++a)
      CHECK(copse_test::kolmogorov_distance(column(points, a), blob) <
            copse_test::kolmogorov_limit(20000));
    for (int a = 1; a < Dim; ++a)
      CHECK(std::abs(correlation(column(points, a - 1), column(points, a))) < 0.03);
  });
}

TEST_CASE("Clusters fill few cells of the cube, and the fullest cell far exceeds the mean") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    constexpr Count n = 40000;
    const auto points = points_of<Dim>("clustered", n);
    Count outside = 0;
    for (Count i = 0; i < n; ++i)
      for (int a = 0; a < Dim; ++a) outside += !(points(i, a) >= 0 && points(i, a) <= 1);
    CHECK(outside == 0);
    // About 4000 cells in every dimension except 8, which has 6561.
    const int cells = Dim == 1 ? 4096 : static_cast<int>(std::lround(std::pow(4096, 1.0 / Dim)));
    const auto counts = cells_of<Dim>(points, cells);
    Count most = 0;
    for (const auto& [cell, count] : counts) most = std::max(most, count);
    // A uniform set would have about 10 points per cell, and at most about 30.
    CHECK(most > 100);
    // The background of 2500 points alone occupies more cells than that.
    CHECK(counts.size() > 500);
  });
}

TEST_CASE("Geographic places are rounded, many coincide, and most of the land is empty") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    if constexpr (Dim == 2) {
      constexpr Count n = 100000;
      const auto points = points_of<2>("geographic", n);
      std::map<std::pair<Real, Real>, Count> places;
      std::set<std::pair<int, int>> squares;
      Count wrong = 0;
      for (Count i = 0; i < n; ++i) {
        const Real x = points(i, 0);
        const Real y = points(i, 1);
        wrong += !(x >= 0 && x <= 64 && y >= 0 && y <= 32);
        wrong += x * 256 != std::floor(x * 256) || y * 256 != std::floor(y * 256);
        ++places[{x, y}];
        squares.insert({static_cast<int>(x * 4), static_cast<int>(y * 4)});
      }
      CHECK(wrong == 0);
      Count most = 0;
      for (const auto& [place, count] : places) most = std::max(most, count);
      INFO(places.size() << " places, the largest of " << most << ", " << squares.size()
                         << " squares of a quarter degree");
      CHECK(places.size() < n * 8 / 10);
      CHECK(most > 20);
      CHECK(squares.size() < 256 * 128 / 8);
      // Zipf: the largest of 4096 towns holds 11 %; nearly all of its places are within three
      // radii.
      Count near = 0;
      const auto middle = std::max_element(places.begin(), places.end(), [](auto& a, auto& b) {
                            return a.second < b.second;
                          })->first;
      for (Count i = 0; i < n; ++i)
        near += std::hypot(points(i, 0) - middle.first, points(i, 1) - middle.second) < 0.6;
      CHECK(near > n / 10);
    }
  });
}

TEST_CASE("Terrain columns are integers, tied, of very different ranges, and correlated") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    constexpr Count n = 20000;
    const auto points = points_of<Dim>("covtype-like", n);
    for (int a = 0; a < Dim; ++a) {
      const auto x = column(points, a);
      INFO("column " << a);
      CHECK(std::all_of(x.begin(), x.end(), [](double v) { return v == std::floor(v); }));
      CHECK(different_values(x) < n / 4);
    }
    if constexpr (Dim == 7) {
      const auto spread = [&](int a) {
        const auto x = column(points, a);
        const auto [least, most] = std::minmax_element(x.begin(), x.end());
        return *most - *least;
      };
      CHECK(spread(1) == 359.0);
      CHECK(spread(2) <= 66.0);
      CHECK(spread(5) > 50 * spread(2));
      CHECK(spread(6) <= 254.0);
      CHECK(correlation(column(points, 3), column(points, 4)) > 0.5);
      CHECK(correlation(column(points, 0), column(points, 5)) > 0.2);
      // Northern slopes get less light.
      std::vector<double> north;
      for (const double aspect : column(points, 1))
        north.push_back(std::cos(aspect * 3.14159265358979 / 180.0));
      CHECK(correlation(north, column(points, 6)) < -0.2);
      CHECK(std::abs(correlation(column(points, 0), column(points, 1))) < 0.05);
    }
  });
}

TEST_CASE(
    "Projected images do not coincide, their columns depend on each other, their distances "
    "are alike") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    if constexpr (Dim == 7) {
      constexpr Count n = 3000;
      const auto points = points_of<7>("mnist-like", n);
      CHECK(different_values(column(points, 0)) > n * 99 / 100);
      double strongest = 0.0;
      for (int a = 0; a < 7; ++a)
        for (int b = 0; b < a; ++b)
          strongest =
              std::max(strongest, std::abs(correlation(column(points, a), column(points, b))));
      CHECK(strongest > 0.2);
      std::vector<double> distances;
      for (Count i = 1; i < n; i += 2) {
        double square = 0.0;
        for (int a = 0; a < 7; ++a) {
          const double d = points(i, a) - points(i - 1, a);
          square += d * d;
        }
        distances.push_back(std::sqrt(square));
      }
      std::sort(distances.begin(), distances.end());
      const double middle = distances[distances.size() / 2];
      INFO("quantiles " << distances[distances.size() / 10] / middle << " "
                        << distances[distances.size() * 9 / 10] / middle);
      CHECK(distances[distances.size() / 10] > 0.4 * middle);
      CHECK(distances[distances.size() * 9 / 10] < 1.8 * middle);
      // Pixel values: the images differ by more than a few dots or noise of one byte.
      CHECK(middle > 50.0);
    }
  });
}
