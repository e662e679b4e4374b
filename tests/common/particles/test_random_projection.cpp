// Oracles: the moments of the weights, and the lemma that squared distances are preserved on
// average.
#include <copse/particles/random_projection.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstring>
#include <vector>

using namespace copse;

namespace {

/// The weights of `columns` columns: what the rows of the unit matrix project to.
template <int Dim>
Points<Dim, Kokkos::HostSpace> weights_of(Count columns, std::uint64_t seed) {
  std::vector<Real> unit(columns * columns, Real{0});
  for (Count k = 0; k < columns; ++k) unit[k * columns + k] = 1;
  Points<Dim, Kokkos::HostSpace> weights("copse::test::weights", columns);
  RandomProjection<Dim>(columns, seed).project(unit.data(), columns, columns, weights, 0);
  return weights;
}

}  // namespace

TEST_CASE("Weights have mean 0 and variance 1 / Dim") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    constexpr Count n = 1000;
    const auto weights = weights_of<Dim>(n, 3);
    double sum = 0.0;
    double square = 0.0;
    for (Count k = 0; k < n; ++k)
      for (int a = 0; a < Dim; ++a) {
        const double w = weights(k, a);
        sum += w;
        square += w * w;
      }
    const double draws = static_cast<double>(n) * Dim;
    CHECK(std::abs(sum / draws) < 4.0 / std::sqrt(draws * Dim));
    CHECK(std::abs(square / draws * Dim - 1.0) < 4.0 * std::sqrt(2.0 / draws));
  });
}

TEST_CASE("Weights depend only on seed and column") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    const auto few = weights_of<Dim>(50, 1);
    const auto many = weights_of<Dim>(100, 1);
    const auto other = weights_of<Dim>(50, 2);
    Count different = 0;
    Count equal = 0;
    for (Count k = 0; k < 50; ++k)
      for (int a = 0; a < Dim; ++a) {
        different += few(k, a) != many(k, a);
        equal += few(k, a) == other(k, a);
      }
    CHECK(different == 0);
    CHECK(equal == 0);
  });
}

TEST_CASE("Squared lengths are preserved on average over seeds") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    std::vector<Real> row;
    double length = 0.0;
    for (int k = 0; k < 40; ++k) {
      row.push_back(static_cast<Real>(k % 7));
      length += (k % 7) * (k % 7);
    }
    constexpr int seeds = 1000;
    double sum = 0.0;
    for (int seed = 0; seed < seeds; ++seed) {
      Points<Dim, Kokkos::HostSpace> point("copse::test::point", 1);
      RandomProjection<Dim>(40, static_cast<std::uint64_t>(seed))
          .project(row.data(), 1, 1, point, 0);
      for (int a = 0; a < Dim; ++a) sum += static_cast<double>(point(0, a)) * point(0, a);
    }
    // The squared length is chi squared distributed: variance 2 / Dim relative to its mean.
    CHECK(std::abs(sum / seeds / length - 1.0) < 4.0 * std::sqrt(2.0 / Dim / seeds));
  });
}
