// Oracles: the definition of a permutation, sorting on the host, and the Serial backend.
#include "on_each_backend.hpp"
#include <copse/algorithms/random_order.hpp>
#include <copse/particles/uniform_points.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace copse;
using namespace copse::test;

namespace {

template <class Space>
std::vector<LocalIndex> order_on(const Space& space, Count n, std::uint64_t seed) {
  Workspace<typename Space::memory_space> workspace;
  return to_host(random_order(space, n, seed, workspace));
}

/// Points whose first coordinate is their row; exact for up to 2^24 rows.
template <int Dim, class Space>
Points<Dim, typename Space::memory_space> numbered_points(const Space& space, Count n) {
  const auto points = uniform_points<Dim>(space, 1, 0, n);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, points);
  for (Count i = 0; i < n; ++i) host(i, 0) = static_cast<Real>(i);
  Kokkos::deep_copy(points, host);
  return points;
}

/// Row numbers of numbered points, after checking that the other coordinates came along.
template <int Dim, class MemorySpace>
std::vector<Count> rows_of(const Points<Dim, MemorySpace>& points, Count n) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, points);
  const auto whole = uniform_points<Dim>(Kokkos::Serial{}, 1, 0, n);
  std::vector<Count> rows;
  Count torn = 0;
  for (Count i = 0; i < host.extent(0); ++i) {
    rows.push_back(static_cast<Count>(host(i, 0)));
    for (int a = 1; a < Dim; ++a) torn += host(i, a) != whole(rows.back(), a);
  }
  CHECK(torn == 0);
  return rows;
}

std::vector<Count> all_rows(Count n) {
  std::vector<Count> rows(n);
  std::iota(rows.begin(), rows.end(), Count{0});
  return rows;
}

}  // namespace

TEST_CASE("A random order is a permutation, the same on every backend, another for every seed") {
  for (const Count n : {0, 1, 2, 1000, 50000}) {
    const auto serial = order_on(Kokkos::Serial{}, n, 5);
    auto sorted = serial;
    std::sort(sorted.begin(), sorted.end());
    std::vector<LocalIndex> rows(n);
    std::iota(rows.begin(), rows.end(), LocalIndex{0});
    CHECK(sorted == rows);
    for_each_backend([&](auto space) { CHECK(order_on(space, n, 5) == serial); });
    if (n >= 1000) CHECK(order_on(Kokkos::Serial{}, n, 6) != serial);
  }
}

TEST_CASE("A random order is uncorrelated with the old one") {
  constexpr Count n = 100000;
  const auto order = order_on(Kokkos::Serial{}, n, 7);
  // Rank correlations with the identity and between adjacent rows: normal with deviation 1 /
  // sqrt(n).
  const double mean = (n - 1) / 2.0;
  const double variance = (static_cast<double>(n) * n - 1) / 12.0;
  double with_rank = 0.0;
  double with_next = 0.0;
  for (Count k = 0; k < n; ++k) {
    with_rank += (order[k] - mean) * (static_cast<double>(k) - mean);
    with_next += (order[k] - mean) * (order[(k + 1) % n] - mean);
  }
  CHECK(std::abs(with_rank / n / variance) < 4.0 / std::sqrt(n));
  CHECK(std::abs(with_next / n / variance) < 4.0 / std::sqrt(n));
}

TEST_CASE("Gathered points are whole rows in the given order") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    for_each_backend([&](auto space) {
      Workspace<typename decltype(space)::memory_space> workspace;
      const auto points = numbered_points<Dim>(space, 3001);
      const auto order = random_order(space, 3001, 5, workspace);
      const auto rows = rows_of<Dim>(gather_points<Dim>(space, points, order), 3001);
      const auto expected = order_on(Kokkos::Serial{}, 3001, 5);
      CHECK(std::equal(rows.begin(), rows.end(), expected.begin(), expected.end()));
    });
  });
}

TEST_CASE(
    "Two halves contain every point once, in the order of the whole, the same on every backend") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    for (const Count n : {0, 1, 2, 3, 10001}) {
      std::vector<Count> tree_on_serial;
      for_each_backend([&](auto space) {
        Workspace<typename decltype(space)::memory_space> workspace;
        const auto halves = split_points<Dim>(space, numbered_points<Dim>(space, n), 11, workspace);
        const auto tree = rows_of<Dim>(halves.tree, n);
        const auto queries = rows_of<Dim>(halves.queries, n);
        CHECK(queries.size() == n / 2);
        CHECK(std::is_sorted(tree.begin(), tree.end()));
        CHECK(std::is_sorted(queries.begin(), queries.end()));
        std::vector<Count> both;
        std::merge(tree.begin(), tree.end(), queries.begin(), queries.end(),
                   std::back_inserter(both));
        CHECK(both == all_rows(n));
        if (tree_on_serial.empty()) tree_on_serial = tree;
        CHECK(tree == tree_on_serial);
      });
    }
  });
}

TEST_CASE("Halves are random: no part of the set has more than its share, and seeds differ") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    constexpr Count n = 40000;
    const Kokkos::Serial space;
    Workspace<Kokkos::HostSpace> workspace;
    const auto points = numbered_points<Dim>(space, n);
    const auto tree = rows_of<Dim>(split_points<Dim>(space, points, 1, workspace).tree, n);
    const auto other = rows_of<Dim>(split_points<Dim>(space, points, 2, workspace).tree, n);
    // Hypergeometric: the deviation of a quarter's share is sqrt(n / 2 * 1/4 * 3/4 / 2).
    for (Count quarter = 0; quarter < 4; ++quarter) {
      const auto in_quarter = std::count_if(tree.begin(), tree.end(),
                                            [&](Count row) { return row / (n / 4) == quarter; });
      CHECK(std::abs(static_cast<double>(in_quarter) - n / 8.0) < 4.0 * std::sqrt(n * 3.0 / 64.0));
    }
    std::vector<Count> common;
    std::set_intersection(tree.begin(), tree.end(), other.begin(), other.end(),
                          std::back_inserter(common));
    CHECK(std::abs(static_cast<double>(common.size()) - n / 4.0) < 4.0 * std::sqrt(n / 16.0));
  });
}
